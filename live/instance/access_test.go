package instance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"dejavu/live/config"
	"dejavu/live/traffic"
	"dejavu/strategies/strategytest"
)

// KeyPair and Free are for tests outside of the package.
var KeyPair, Free = keyPair, free

// keyPair writes a certificate of this machine that signs itself, and its key.
func keyPair(t *testing.T, path string, number int64) (pair tls.Certificate) {
	t.Helper()
	key := strategytest.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	about := &x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "dejavu"},
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der := strategytest.Value(x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key))
	secret := strategytest.Value(x509.MarshalPKCS8PrivateKey(key))
	for end, of := range map[string]pem.Block{
		".crt": {Type: "CERTIFICATE", Bytes: der}, ".key": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		strategytest.Must(t, os.WriteFile(path+end, pem.EncodeToMemory(&of), 0o600))
	}
	return strategytest.Value(tls.LoadX509KeyPair(path+".crt", path+".key"))
}

// Callers need a trusted certificate and the token, the metrics no certificate. SIGHUP changes both, if they are valid.
func TestAccess(t *testing.T) {
	dir, pages := t.TempDir(), free()
	caller, stranger := keyPair(t, filepath.Join(dir, "caller"), 1), keyPair(t, filepath.Join(dir, "stranger"), 5)
	token := filepath.Join(dir, "token")
	write := func(text string, number int64) {
		strategytest.Must(t, os.WriteFile(token, []byte(text+"\n"), 0o600))
		keyPair(t, filepath.Join(dir, "server"), number)
	}
	write("the first token, of many letters", 2)
	address, stop := running(t, filepath.Join(dir, "data"), "metrics: "+pages, func(c *config.Config) {
		c.TokenFile, c.TLS.CertFile, c.TLS.KeyFile = token, filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
		c.TLS.ClientCAFile = filepath.Join(dir, "caller.crt")
	})
	// ask returns a page's status, and the number of the certificate shown.
	ask := func(address, token string, shown ...tls.Certificate) string {
		c := http.Client{Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: shown},
		}}
		r := strategytest.Value(http.NewRequestWithContext(t.Context(), "GET", "https://"+address+"/metrics", nil))
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := c.Do(r)
		if err != nil {
			return "none"
		}
		answer.Body.Close()
		return fmt.Sprintf("%d of %v", answer.StatusCode, answer.TLS.PeerCertificates[0].SerialNumber)
	}
	eventually := func(token, want string) {
		t.Helper()
		got := ""
		for end := time.Now().Add(10 * time.Second); got != want && time.Now().Before(end); got = ask(pages, token) {
			time.Sleep(5 * time.Millisecond)
		}
		strategytest.Equal(t, got, want, "%q: status and certificate", token)
	}
	eventually("the first token, of many letters", "200 of 2")
	for n, shown := range [][]tls.Certificate{nil, {stranger}, {caller}} {
		want := []string{"none", "none", "401 of 2"}[n]
		strategytest.Equal(t, ask(address, "another", shown...), want, "the status for caller %d", n)
	}
	for _, c := range []struct {
		written, valid string
		number, shown  int64
	}{
		{"the second token, of many letters", "the second token, of many letters", 3, 3},
		{"too short", "the second token, of many letters", 4, 3}, // nothing changes
		{"not of ASCII: \x00\xff and more", "the second token, of many letters", 4, 3},
		{"the third token, of many letters", "the third token, of many letters", 6, 6},
	} {
		write(c.written, c.number)
		strategytest.Must(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
		time.Sleep(50 * time.Millisecond)
		eventually(c.valid, fmt.Sprint("200 of ", c.shown))
	}
	eventually("the second token, of many letters", "401 of 6")
	strategytest.Must(t, stop())
	says(t, filepath.Join(dir, "data"), "tokens and certificate stay as they are", "tokens and certificate are read anew")
}

// Each file's tokens, one a line, have its right.
func TestRights(t *testing.T) {
	dir := t.TempDir()
	got, _, err := credentials(config.Config{
		ReadTokenFile:  written(t, dir, "read", "one-that-reads-16\nanother-that-reads\n"),
		WriteTokenFile: written(t, dir, "write", "one-that-writes-16\n"),
		TokenFile:      written(t, dir, "admin", "sixteen letters."),
	})
	strategytest.Must(t, err)
	strategytest.DeepEqual(t, got, traffic.Tokens{
		traffic.KeyOf("one-that-reads-16"): traffic.Read, traffic.KeyOf("another-that-reads"): traffic.Read,
		traffic.KeyOf("one-that-writes-16"): traffic.Write, traffic.KeyOf("sixteen letters."): traffic.Admin,
	}, "rights of tokens")
}
