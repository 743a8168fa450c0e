//go:build tools

// Package osvscanner pins the scanner of an OSV database. ../build.sh osv-scanner builds it.
package osvscanner

import _ "github.com/google/osv-scanner/v2/cmd/osv-scanner"
