// Package access configures the connection to Kafka's brokers: TLS, with a certificate or a password. The service and
// the stream of module cluster use it alike.
package access

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Kafka names brokers and how to log in. Files are read by Options: the configuration itself holds no secret.
type Kafka struct {
	Brokers      []string
	TLS          bool
	CAFile       string `yaml:"ca_file"`   // of the brokers' certificates; empty: the system's
	CertFile     string `yaml:"cert_file"` // our own certificate; empty: none
	KeyFile      string `yaml:"key_file"`
	SASL         string // plain, scram-sha-256 or scram-sha-512; empty: no login
	User         string
	PasswordFile string `yaml:"password_file"`
}

// Check returns the first thing that is wrong with k, by its key in section.
func (k Kafka) Check(section string) error {
	ways := []string{"", "plain", "scram-sha-256", "scram-sha-512"}
	switch {
	case len(k.Brokers) == 0:
		return fmt.Errorf("%s.brokers is empty, want the address of a broker", section)
	case k.CAFile+k.CertFile != "" && !k.TLS:
		return fmt.Errorf("%s.ca_file is %q, cert_file %q, and %[1]s.tls is false, want true", section, k.CAFile, k.CertFile)
	case (k.CertFile == "") != (k.KeyFile == ""):
		return fmt.Errorf("%s.cert_file is %q and key_file is %q, want both or none", section, k.CertFile, k.KeyFile)
	case !slices.Contains(ways, k.SASL):
		return fmt.Errorf("%s.sasl is %q, want one of %q", section, k.SASL, ways)
	case k.SASL == "plain" && !k.TLS:
		return fmt.Errorf("%s.sasl is plain and %[1]s.tls is false: anybody on the way could read the password; "+
			"want true, or scram", section)
	case (k.SASL == "") != (k.User == "") || (k.SASL == "") != (k.PasswordFile == ""):
		return fmt.Errorf("%s.sasl is %q, user %q and password_file %q, want all or none",
			section, k.SASL, k.User, k.PasswordFile)
	}
	return nil
}

// Options returns the options of a client that reaches the brokers. An error names the key in section.
func (k Kafka) Options(section string) ([]kgo.Opt, error) {
	opts := []kgo.Opt{kgo.SeedBrokers(k.Brokers...), kgo.ClientID("dejavu")}
	password, err := Password(section+".password_file", k.PasswordFile)
	if err != nil {
		return nil, err
	}
	if k.TLS {
		secure := &tls.Config{MinVersion: tls.VersionTLS12}
		if k.CAFile != "" {
			if secure.RootCAs, err = Authorities(section+".ca_file", k.CAFile); err != nil {
				return nil, err
			}
		}
		own, err := Certificate(section, k.CertFile, k.KeyFile)
		if err != nil {
			return nil, err
		}
		if own != nil {
			secure.Certificates = []tls.Certificate{*own}
		}
		opts = append(opts, kgo.DialTLSConfig(secure))
	}
	auth := scram.Auth{User: k.User, Pass: password}
	switch k.SASL {
	case "plain":
		opts = append(opts, kgo.SASL(plain.Auth{User: k.User, Pass: password}.AsMechanism()))
	case "scram-sha-256":
		opts = append(opts, kgo.SASL(auth.AsSha256Mechanism()))
	case "scram-sha-512":
		opts = append(opts, kgo.SASL(auth.AsSha512Mechanism()))
	}
	return opts, nil
}

// Certificate returns the certificate of a section's cert_file and key_file, or nil if cert is empty.
func Certificate(section, cert, key string) (*tls.Certificate, error) {
	if cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", section, err)
	}
	return &pair, nil
}

// Authorities returns the certificates in a key's file.
func Authorities(key, path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s %s: no certificate in PEM", key, path)
	}
	return pool, nil
}

// Password returns what a key's file holds, without white space around it, or "" if path is empty.
func Password(key, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// advice pairs a part of a client's error with the keys to look at.
var advice = [][2]string{
	{"failed to verify certificate", "SECTION.ca_file"},
	{"remote error: tls", "SECTION.cert_file"},
	{"is TLS mis", "SECTION.tls"},
	{"to a tls endpoint", "SECTION.tls"},
	{"EOF", "SECTION.tls and SECTION.user"},
	{"SASL_AUTHENTICATION_FAILED", "SECTION.user and SECTION.password_file"},
	{"AUTHORIZATION_FAILED", "the rights of SECTION.user"},
	{"UNSUPPORTED_SASL_MECHANISM", "SECTION.sasl"},
	{"is SASL missing", "SECTION.sasl"},
}

// Advise adds the keys to look at, and the brokers, to an error of a client.
func (k Kafka) Advise(section string, err error) error {
	for _, of := range advice {
		if strings.Contains(err.Error(), of[0]) {
			keys := strings.ReplaceAll(of[1], "SECTION", section)
			return fmt.Errorf("look at %s for %s: %w", keys, strings.Join(k.Brokers, ", "), err)
		}
	}
	return err
}
