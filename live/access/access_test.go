package access

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"

	"dejavu/strategies/strategytest"
)

// A client has the certificates and the login that are configured. A file that does not serve is an error with its key.
func TestOptions(t *testing.T) {
	dir, server := t.TempDir(), httptest.NewTLSServer(nil)
	defer server.Close()
	key := strategytest.Value(x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey))
	for name, b := range map[string][]byte{
		"own.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		"own.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), "password": []byte(" a password\n"),
	} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	t.Chdir(dir)
	for way, want := range map[string]string{
		"": "", "plain": "PLAIN \"\\x00ann\\x00a password\"", "scram-sha-256": "SCRAM-SHA-256 \"n,,n=ann,r=",
		"scram-sha-512": "SCRAM-SHA-512 \"n,,n=ann,r=",
	} {
		k := Kafka{
			Brokers: []string{"b:1"}, TLS: true, CAFile: "own.crt", CertFile: "own.crt", KeyFile: "own.key", SASL: way,
			User: "ann", PasswordFile: "password",
		}
		c := strategytest.Value(kgo.NewClient(strategytest.Value(k.Options("s"))...))
		secure, said := c.OptValue(kgo.DialTLSConfig).(*tls.Config), ""
		strategytest.Equal(t, fmt.Sprint(secure.RootCAs != nil, len(secure.Certificates), c.OptValue(kgo.SeedBrokers)),
			"true 1 [b:1]", "authorities, certificates and brokers")
		for _, by := range c.OptValue(kgo.SASL).([]sasl.Mechanism) {
			_, first, err := by.Authenticate(t.Context(), "b")
			strategytest.Must(t, err)
			said += fmt.Sprintf("%s %q", by.Name(), first)
		}
		strategytest.Contains(t, said, want, "the login by %q", way)
		strategytest.Equal(t, said == "", way == "", "there is a login by %q", way)
		for want, file := range map[string]*string{
			"s.ca_file own.key: no certificate in PEM": &k.CAFile, "s: tls: ": &k.CertFile, "": &k.User,
		} {
			before := *file
			*file = "own.key"
			strategytest.ErrorSays(t, "a key in its place", strategytest.ErrorOf(k.Options("s")), want)
			*file = before
		}
		k.PasswordFile = "nowhere"
		strategytest.ErrorSays(t, "no file", strategytest.ErrorOf(k.Options("s")), "s.password_file: open nowhere")
	}
}
