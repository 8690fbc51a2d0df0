// A loop that puts objects of 1 MB with so many goroutines back to back, and nothing else. at_once.py builds it with the
// modules of clients/s3-go, which it shares nothing more with.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

type wanted struct {
	Endpoint, Access, Secret, Authority, Bucket, Prefix string
	Bytes, AtOnce                                       int
	Seconds                                             float64
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	var to wanted
	must(json.NewDecoder(os.Stdin).Decode(&to))
	known := x509.NewCertPool()
	known.AppendCertsFromPEM([]byte(to.Authority))
	client := s3.New(s3.Options{
		BaseEndpoint: &to.Endpoint,
		Region:       "us-east-1",
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider(to.Access, to.Secret, ""),
		HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(transport *http.Transport) {
			transport.TLSClientConfig = &tls.Config{RootCAs: known}
			transport.MaxIdleConnsPerHost = to.AtOnce
		}),
	})
	body := make([]byte, to.Bytes)
	rand.Read(body)
	latencies := make([][]float64, to.AtOnce)
	var group sync.WaitGroup
	began := time.Now()
	for lane := range to.AtOnce {
		group.Add(1)
		go func() {
			defer group.Done()
			for number := 0; time.Since(began).Seconds() < to.Seconds; number++ {
				key := fmt.Sprintf("%splain-%d-%d-%d", to.Prefix, os.Getpid(), lane, number)
				from := time.Now()
				_, err := client.PutObject(context.Background(), &s3.PutObjectInput{
					Bucket: &to.Bucket, Key: aws.String(key), Body: bytes.NewReader(body),
				})
				latencies[lane] = append(latencies[lane], time.Since(from).Seconds())
				must(err)
			}
		}()
	}
	group.Wait()
	taken := time.Since(began).Seconds()
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{"latencies": latencies, "seconds": taken}))
}
