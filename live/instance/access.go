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

// credentials are the token that callers need and the certificate that they are shown; none where no file is named.
func credentials(c config.Config) (token string, shown *tls.Certificate, err error) {
	if token, err = readPassword("token_file", c.TokenFile); err != nil {
		return "", nil, err
	}
	if c.TokenFile != "" && len(token) < 16 {
		return "", nil, fmt.Errorf("token_file %s: the token has %d bytes, want 16 or more", c.TokenFile, len(token))
	}
	if c.TLS.CertFile == "" {
		return token, nil, nil
	}
	pair, err := tls.LoadX509KeyPair(c.TLS.CertFile, c.TLS.KeyFile)
	if err != nil {
		return "", nil, fmt.Errorf("tls: %w", err)
	}
	return token, &pair, nil
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

// renew reads the token and the certificate anew whenever SIGHUP asks for it, until the service stops. What cannot be
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
		token, pair, err := credentials(i.Config)
		if err != nil {
			i.logger.Error("token and certificate stay as they are", "error", err)
			continue
		}
		in.SetToken(token)
		held.Store(pair)
		i.logger.Info("token and certificate are read anew")
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
