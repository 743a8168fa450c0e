package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// readScalars prints what Kubernetes' YAML library reads each of these JSON texts as: a scalar as it is written in YAML.
func readScalars(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			return err
		}
		tree, err := yaml.YAMLToJSON([]byte("v: " + text + "\n"))
		var read struct{ V json.RawMessage }
		if err == nil {
			err = json.Unmarshal(tree, &read)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		fmt.Fprintf(out, "{\"yaml\":%s,\"json\":%s}\n", lines.Bytes(), read.V)
	}
	return lines.Err()
}
