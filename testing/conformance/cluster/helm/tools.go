//go:build tools

// Package helm pins Helm, which renders and installs the chart in deploy/chart. ../build.sh helm builds it.
package helm

import _ "helm.sh/helm/v4/cmd/helm"
