package instance

import (
	"crypto/tls"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"dejavu/live/access"
	"dejavu/live/config"
	"dejavu/live/traffic"
)

// credentials reads the tokens and the certificate from their files; without a file there is none.
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
		file, err := access.Password(of.key, of.path)
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
	shown, err = access.Certificate("tls", c.TLS.CertFile, c.TLS.KeyFile)
	return tokens, shown, err
}

// secured returns the TLS for callers, with the certificate in held when they come; nil is none.
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
		secure.ClientCAs, err = access.Authorities("tls.client_ca_file", c.TLS.ClientCAFile)
	}
	return secure, err
}

// renew reads the tokens and the certificate again at every SIGHUP. If they cannot be read, the old ones stay.
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
