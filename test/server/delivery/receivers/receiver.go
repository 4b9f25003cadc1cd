package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// verify returns the body of a genuine request, or nil: then reject it.
func verify(raw []byte, secret string) json.RawMessage {
	var callback struct {
		Body      json.RawMessage `json:"body"` // the exact text, as signed
		Signature string          `json:"signature"`
	}
	if json.Unmarshal(raw, &callback) != nil {
		return nil
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(callback.Body)
	expected := hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(expected), []byte(callback.Signature)) {
		return nil
	}
	return callback.Body
}

func main() {
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || verify(raw, os.Getenv("WEBHOOK_SECRET")) == nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
