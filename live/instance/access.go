package instance

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"dejavu/live/config"
	"dejavu/live/traffic"
)

// credentials are the tokens of callers and the certificate that they are shown; none where no file is named.
func credentials(c config.Config) (tokens traffic.Tokens, shown *tls.Certificate, err error) {
	tokens = traffic.Tokens{}
	for _, of := range []struct {
		key, path string
		right     traffic.Right
	}{
		{"read_token_file", c.ReadTokenFile, traffic.Read},
		{"write_token_file", c.WriteTokenFile, traffic.Write},
		{"token_file", c.TokenFile, traffic.Admin},
	} {
		if of.path == "" {
			continue
		}
		file, err := readPassword(of.key, of.path)
		if err != nil {
			return nil, nil, err
		}
		for token := range strings.SplitSeq(file, "\n") {
			token = strings.TrimSpace(token)
			if len(token) < 16 || strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r > '~' }) {
				return nil, nil, fmt.Errorf("%s %s: a token has %d bytes, want 16 or more, of ASCII", of.key, of.path, len(token))
			}
			tokens[traffic.KeyOf(token)] = of.right
		}
	}
	shown, err = certificate("tls", c.TLS.CertFile, c.TLS.KeyFile)
	return tokens, shown, err
}

// certificate is the certificate of a section's cert_file and key_file; no files are none.
func certificate(section, cert, key string) (*tls.Certificate, error) {
	if cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", section, err)
	}
	return &pair, nil
}

// secured is the TLS that callers speak, with the certificate that is held when they come; nil is none.
func secured(c config.Config, held *atomic.Pointer[tls.Certificate]) (secure *tls.Config, err error) {
	if held.Load() == nil {
		return nil, nil
	}
	secure = &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return held.Load(), nil },
	}
	if c.TLS.ClientCAFile != "" {
		secure.ClientAuth = tls.RequireAndVerifyClientCert
		secure.ClientCAs, err = authorities("tls.client_ca_file", c.TLS.ClientCAFile)
	}
	return secure, err
}

// renew reads the tokens and the certificate anew whenever SIGHUP asks for it, until the service stops. What cannot be
// read leaves them as they are.
func (i *instance) renew(in *traffic.Traffic, held *atomic.Pointer[tls.Certificate]) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	defer signal.Stop(asked)
	for {
		select {
		case <-i.running.Done():
			return
		case <-asked:
		}
		tokens, pair, err := credentials(i.Config)
		if err != nil {
			i.logger.Error("tokens and certificate stay as they are", "error", err)
			continue
		}
		in.SetTokens(tokens)
		held.Store(pair)
		i.logger.Info("tokens and certificate are read anew")
	}
}

// authorities are the certificates in a key's file.
func authorities(key, path string) (*x509.CertPool, error) {
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

// readPassword reads what a key's file says; no file says nothing.
func readPassword(key, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// advice is which keys of the section to look at for what is said of its servers.
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

// advised adds to an error of servers which they are and what to look at.
func advised(section, servers string, err error) error {
	for _, of := range advice {
		if strings.Contains(err.Error(), of[0]) {
			return fmt.Errorf("look at %s for %s: %w", strings.ReplaceAll(of[1], "SECTION", section), servers, err)
		}
	}
	return err
}

// access is how the servers of a section are spoken to: by TLS, nil for none, and with a password.
func access(section string, r config.Remote) (secure *tls.Config, password string, err error) {
	if password, err = readPassword(section+".password_file", r.PasswordFile); err != nil || !r.TLS {
		return nil, password, err
	}
	secure = &tls.Config{MinVersion: tls.VersionTLS12}
	if r.CAFile != "" {
		if secure.RootCAs, err = authorities(section+".ca_file", r.CAFile); err != nil {
			return nil, "", err
		}
	}
	own, err := certificate(section, r.CertFile, r.KeyFile)
	if own != nil {
		secure.Certificates = []tls.Certificate{*own}
	}
	return secure, password, err
}
