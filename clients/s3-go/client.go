package main

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"

	"sectax/kit"
)

const (
	readSize     = 256 << 10
	socketBuffer = 64 << 10
	// Larger bodies differ in their first bytes alone, and the first one is not fetched before anything is measured.
	whollyNew     = 8 << 20
	different     = 64
	answerTimeout = 60 * time.Second
	mostKeys      = 1000 // of one DeleteObjects
)

type request struct {
	Command      string   `json:"command"`
	Count        int      `json:"count"`
	Ramp         int      `json:"ramp"`
	StartNs      int64    `json:"start_ns"`
	Endpoint     string   `json:"endpoint"`
	Region       string   `json:"region"`
	AccessKey    string   `json:"access_key"`
	SecretKey    string   `json:"secret_key"`
	SessionToken string   `json:"session_token"`
	CAPem        string   `json:"ca_pem"`
	Operation    string   `json:"operation"`
	Bytes        int      `json:"bytes"`
	Buckets      []string `json:"buckets"`
	Prefix       string   `json:"prefix"`
	Encryption   string   `json:"encryption"`
	Key          string   `json:"key"`
	PartBytes    int      `json:"part_bytes"`
	Concurrency  int      `json:"concurrency"`
	Marker       string   `json:"marker"`
	Objects      int      `json:"objects"`
	AddedNs      int64    `json:"added_ns"`
	Rate         float64  `json:"rate"`
	Thorough     bool     `json:"thorough"`
	FirstBytes   int      `json:"first_bytes"`
	Seed         string   `json:"seed"`
	Found        []string `json:"found"`
	Keep         bool     `json:"keep"`
}

// item is what one operation works on: a body to be put, or an object that is there.
type item struct {
	bucket, key string
	body        []byte
	digest      uint64
}

// client is one treatment.
type client struct {
	wanted   request
	s3       *s3.Client
	key      []byte
	customer [3]*string // algorithm, key and its MD5 of SSE-C; all nil without
	staged   []*item
	stored   []*item // since the last clear
	turn     int     // of the objects that a GET or HEAD goes round
	objects  []*item // for GET and HEAD
	extra    []*item
	header   string
	attempts atomic.Int64
	number   int
	base     []byte // of the large bodies
	seed     maphash.Seed
}

// prepare begins to make a large body, while other clients are opened: that of a seed, where one is given.
func prepare(size int, seed string) <-chan []byte {
	if size <= whollyNew {
		return nil
	}
	made := make(chan []byte, 1)
	go func() { made <- ofSeed(seed, size) }()
	return made
}

// open makes a client, and stores, looks at and fetches the first object; one that an earlier client has stored is looked
// at, and its body made again from its seed.
//
// base is a body as prepare makes it; nil where none was prepared.
func open(wanted request, base <-chan []byte) (*client, kit.Reply, error) {
	c := &client{wanted: wanted, number: mathrand.IntN(len(wanted.Buckets)), seed: maphash.MakeSeed()}
	if base != nil {
		c.base = <-base
	}
	var err error
	if c.key, err = base64.StdEncoding.DecodeString(wanted.Key); err != nil {
		return nil, nil, err
	}
	if c.s3, err = newS3(wanted); err != nil {
		return nil, nil, err
	}
	if wanted.Encryption == "sse-c" {
		sum := md5.Sum(c.key)
		c.customer = [3]*string{aws.String("AES256"), &wanted.Key, aws.String(base64.StdEncoding.EncodeToString(sum[:]))}
	}
	first := c.nextItem()
	found := len(wanted.Found) == 2
	if found {
		first = &item{bucket: wanted.Found[0], key: wanted.Found[1]}
	}
	if wanted.Seed != "" && base != nil {
		first.body = c.base[:wanted.FirstBytes]
	} else {
		first.body = c.body(wanted.FirstBytes)
	}
	copy(first.body, wanted.Marker)
	small := wanted.FirstBytes <= whollyNew
	// Hashing a large body takes as long as storing it, and another processor may have nothing to do meanwhile.
	summed := make(chan [md5.Size]byte, 1)
	go func() {
		var sum [md5.Size]byte
		if small || wanted.Operation == "get" {
			first.digest = maphash.Bytes(c.seed, first.body)
		}
		if small || wanted.Thorough {
			sum = md5.Sum(first.body)
		}
		summed <- sum
	}()
	if !found {
		err = c.put(first)
	}
	sum := <-summed
	if err != nil {
		return nil, nil, err
	}
	seen, err := c.look(first)
	if err != nil {
		return nil, nil, err
	}
	c.header = headerOf(string(seen.ServerSideEncryption), seen.SSECustomerAlgorithm)
	if small { // of larger ones the first GET that counts is checked as well, and none is cheap
		if _, err := c.get(first); err != nil {
			return nil, nil, err
		}
	}
	if wanted.FirstBytes < len(wanted.Marker) { // too short to hold it: another object shows what the server does
		proof := c.nextItem()
		proof.body = []byte(wanted.Marker)
		if err := c.put(proof); err != nil {
			return nil, nil, err
		}
		c.extra = append(c.extra, proof)
	}
	etag := clean(aws.ToString(seen.ETag))
	witnesses := kit.Reply{
		"encryption_header": c.header,
		"kms_key_named":     aws.ToString(seen.SSEKMSKeyId) != "",
		"bucket_key":        aws.ToBool(seen.BucketKeyEnabled),
		"parts":             partsOf(etag),
		"stored_bytes":      aws.ToInt64(seen.ContentLength),
		"server":            serverOf(seen.ResultMetadata),
		"first_bucket":      first.bucket,
		"first_key":         first.key,
	}
	if small || wanted.Thorough {
		witnesses["etag"] = etagKind(etag, sum)
	}
	first.body = nil
	c.objects = []*item{first}
	if wanted.Operation == "get" || wanted.Operation == "head" {
		for range wanted.Objects - 1 {
			more := c.nextItem()
			c.fill([]*item{more})
			more.digest = maphash.Bytes(c.seed, more.body)
			if err := c.put(more); err != nil {
				return nil, nil, err
			}
			more.body = nil
			c.objects = append(c.objects, more)
		}
	}
	if wanted.Operation != "put" {
		c.base = nil
	}
	debug.FreeOSMemory() // the body of the first object is none of the operations' memory
	return c, witnesses, nil
}

func newS3(wanted request) (*s3.Client, error) {
	transport := awshttp.NewBuildableClient().WithTimeout(answerTimeout).WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConnsPerHost = max(10, wanted.Concurrency)
		// By default a body goes out in pieces of 4 KiB, each encrypted and sent by itself.
		t.WriteBufferSize, t.ReadBufferSize = socketBuffer, socketBuffer
		if wanted.Endpoint != "" {
			t.Proxy = nil // what stays on this machine is not carried to the proxy that the environment names
		}
		if wanted.CAPem != "" {
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM([]byte(wanted.CAPem))
			t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		}
	})
	options := []func(*config.LoadOptions) error{
		config.WithRegion(wanted.Region),
		config.WithHTTPClient(transport),
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
	}
	if wanted.AccessKey != "" {
		given := credentials.NewStaticCredentialsProvider(wanted.AccessKey, wanted.SecretKey, wanted.SessionToken)
		options = append(options, config.WithCredentialsProvider(given))
	}
	loaded, err := config.LoadDefaultConfig(context.Background(), options...)
	if err != nil {
		return nil, err
	}
	// With the authorities that AWS_CA_BUNDLE or the configuration file names.
	if configured, ok := loaded.HTTPClient.(*awshttp.BuildableClient); ok {
		transport = configured
	}
	// Where it is sent on to would be measured in place of the service that was named, and the way there with it.
	loaded.HTTPClient = &http.Client{
		Transport: transport.GetTransport(), Timeout: answerTimeout,
		CheckRedirect: func(to *http.Request, _ []*http.Request) error {
			return kit.NewFault("redirected", "it answers with a redirect to "+to.URL.Host)
		},
	}
	return s3.NewFromConfig(loaded, func(o *s3.Options) {
		o.BaseEndpoint = nil
		if wanted.Endpoint != "" {
			o.BaseEndpoint = &wanted.Endpoint
			o.UsePathStyle = true
		}
	}), nil
}

// nextItem has the next key: all buckets in turn, from a random one on.
func (c *client) nextItem() *item {
	c.number++
	name := make([]byte, 6)
	rand.Read(name)
	key := fmt.Sprintf("%s%06d-%s", c.wanted.Prefix, c.number, hex.EncodeToString(name))
	return &item{bucket: c.wanted.Buckets[c.number%len(c.wanted.Buckets)], key: key}
}

// fill gives every item a random body of its own.
func (c *client) fill(items []*item) {
	for _, each := range items {
		each.body = c.body(c.wanted.Bytes)
		if len(items) > 1 && c.wanted.Bytes > whollyNew {
			each.body = bytes.Clone(each.body)
		}
	}
}

// body is a random one. Large ones share their memory, and differ in their first bytes alone: making them anew would take
// longer than storing them.
func (c *client) body(size int) []byte {
	if size <= whollyNew {
		return random(size)
	}
	if len(c.base) != size {
		c.base = random(size)
	}
	copy(c.base, random(different))
	return c.base
}

// random is the key stream of AES under a fresh key.
func random(size int) []byte {
	return ofSeed("", size)
}

// ofSeed is the key stream of AES under the key and the counter that a seed is in Base64; under fresh ones without it.
func ofSeed(seed string, size int) []byte {
	secret := make([]byte, 48)
	if told, err := base64.StdEncoding.DecodeString(seed); err == nil && len(told) == len(secret) {
		copy(secret, told)
	} else {
		rand.Read(secret)
	}
	block, _ := aes.NewCipher(secret[:32])
	body := make([]byte, size)
	cipher.NewCTR(block, secret[32:]).XORKeyStream(body, body)
	return body
}

// put stores the body, encrypted here where the treatment says so.
func (c *client) put(to *item) error {
	body := to.body
	if c.wanted.Encryption == "client-aes-gcm" {
		sealed, err := seal(c.key, body)
		if err != nil {
			return err
		}
		body = sealed
	}
	if c.wanted.PartBytes > 0 {
		return c.putParts(to, body)
	}
	out, err := c.s3.PutObject(context.Background(), &s3.PutObjectInput{
		Bucket: &to.bucket, Key: &to.key, Body: bytes.NewReader(body), ServerSideEncryption: c.asked(),
		SSECustomerAlgorithm: c.customer[0], SSECustomerKey: c.customer[1], SSECustomerKeyMD5: c.customer[2],
		ChecksumCRC32: checksum(body),
	})
	if err != nil {
		return err
	}
	return c.seen(out.ResultMetadata, headerOf(string(out.ServerSideEncryption), out.SSECustomerAlgorithm))
}

// checksum is what the service holds a body against. By itself the library would send it behind the body over TLS, and
// the whole body as one chunk before it: MinIO collects a chunk before it goes on, which takes a tenth more of its
// processor time, and refuses one of more than 16 MiB.
func checksum(body []byte) *string {
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body))
	return aws.String(base64.StdEncoding.EncodeToString(sum))
}

func (c *client) putParts(to *item, body []byte) error {
	begun, err := c.s3.CreateMultipartUpload(context.Background(), &s3.CreateMultipartUploadInput{
		Bucket: &to.bucket, Key: &to.key, ServerSideEncryption: c.asked(),
		SSECustomerAlgorithm: c.customer[0], SSECustomerKey: c.customer[1], SSECustomerKeyMD5: c.customer[2],
	})
	if err != nil {
		return err
	}
	c.count(begun.ResultMetadata)
	var parts []types.CompletedPart
	for offset := 0; offset < max(1, len(body)); offset += c.wanted.PartBytes {
		number := int32(len(parts) + 1)
		end := min(len(body), offset+c.wanted.PartBytes)
		part, err := c.s3.UploadPart(context.Background(), &s3.UploadPartInput{
			Bucket: &to.bucket, Key: &to.key, UploadId: begun.UploadId, PartNumber: &number,
			Body: bytes.NewReader(body[offset:end]), ChecksumCRC32: checksum(body[offset:end]),
			SSECustomerAlgorithm: c.customer[0], SSECustomerKey: c.customer[1], SSECustomerKeyMD5: c.customer[2],
		})
		if err != nil {
			return err
		}
		c.count(part.ResultMetadata)
		parts = append(parts, types.CompletedPart{ETag: part.ETag, PartNumber: &number, ChecksumCRC32: part.ChecksumCRC32})
	}
	done, err := c.s3.CompleteMultipartUpload(context.Background(), &s3.CompleteMultipartUploadInput{
		Bucket: &to.bucket, Key: &to.key, UploadId: begun.UploadId,
		MultipartUpload:      &types.CompletedMultipartUpload{Parts: parts},
		SSECustomerAlgorithm: c.customer[0], SSECustomerKey: c.customer[1], SSECustomerKeyMD5: c.customer[2],
	})
	if err != nil {
		return err
	}
	c.count(done.ResultMetadata)
	return nil
}

var buffers = sync.Pool{New: func() any { made := make([]byte, readSize); return &made }}

// times are of one operation.
type times struct {
	kit.Span
	firstByte, check time.Duration
}

// get reads to the last byte, and checks what came. The hash is of 64 bits and under a random seed, and never leaves this
// process; a cryptographic one would take half of the client's time.
func (c *client) get(from *item) (times, error) {
	began := time.Now()
	out, err := c.s3.GetObject(context.Background(), &s3.GetObjectInput{
		Bucket: &from.bucket, Key: &from.key,
		SSECustomerAlgorithm: c.customer[0], SSECustomerKey: c.customer[1], SSECustomerKeyMD5: c.customer[2],
	})
	if err != nil {
		return times{}, err
	}
	defer out.Body.Close()
	var body io.Reader = out.Body
	if c.wanted.Encryption == "client-aes-gcm" {
		body = newUnsealed(c.key, out.Body)
	}
	var took times
	var digest maphash.Hash
	digest.SetSeed(c.seed)
	reused := buffers.Get().(*[]byte)
	defer buffers.Put(reused)
	buffer := *reused
	for {
		read, err := body.Read(buffer)
		came := time.Now()
		if read > 0 {
			if took.firstByte == 0 {
				took.firstByte = came.Sub(began)
			}
			digest.Write(buffer[:read])
			took.check += time.Since(came)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return times{}, err
		}
	}
	took.Elapsed = time.Since(began)
	if took.firstByte == 0 {
		took.firstByte = took.Elapsed
	}
	if digest.Sum64() != from.digest {
		return times{}, kit.NewFault("wrong-body", fmt.Sprintf("a GET of %d bytes gave other bytes than were stored", c.wanted.Bytes))
	}
	return took, c.seen(out.ResultMetadata, headerOf(string(out.ServerSideEncryption), out.SSECustomerAlgorithm))
}

func (c *client) look(at *item) (*s3.HeadObjectOutput, error) {
	out, err := c.s3.HeadObject(context.Background(), &s3.HeadObjectInput{
		Bucket: &at.bucket, Key: &at.key,
		SSECustomerAlgorithm: c.customer[0], SSECustomerKey: c.customer[1], SSECustomerKeyMD5: c.customer[2],
	})
	if err != nil {
		return nil, err
	}
	return out, c.seen(out.ResultMetadata, headerOf(string(out.ServerSideEncryption), out.SSECustomerAlgorithm))
}

func (c *client) remove(gone *item) error {
	out, err := c.s3.DeleteObject(context.Background(), &s3.DeleteObjectInput{Bucket: &gone.bucket, Key: &gone.key})
	if err != nil {
		return err
	}
	c.count(out.ResultMetadata)
	return nil
}

// removeAll removes objects a thousand at a time, as many as one request takes.
func (c *client) removeAll(gone []*item) error {
	keys := map[string][]types.ObjectIdentifier{}
	for _, each := range gone {
		keys[each.bucket] = append(keys[each.bucket], types.ObjectIdentifier{Key: &each.key})
	}
	for bucket, all := range keys {
		for some := range slices.Chunk(all, mostKeys) {
			out, err := c.s3.DeleteObjects(context.Background(), &s3.DeleteObjectsInput{
				Bucket: &bucket, Delete: &types.Delete{Objects: some, Quiet: aws.Bool(true)},
			})
			if err != nil {
				return err
			}
			c.count(out.ResultMetadata)
			if len(out.Errors) > 0 {
				failed := out.Errors[0]
				return kit.NewFault(aws.ToString(failed.Code), "an object was not removed: "+aws.ToString(failed.Message))
			}
		}
	}
	return nil
}

func (c *client) asked() types.ServerSideEncryption {
	if c.wanted.Encryption == "sse-s3-header" {
		return types.ServerSideEncryptionAes256
	}
	return ""
}

// seen counts the attempts, and holds the encryption header to the first one.
func (c *client) seen(of middleware.Metadata, header string) error {
	c.count(of)
	if c.header != "" && header != c.header {
		return kit.NewFault("wrong-encryption", fmt.Sprintf("an answer names the encryption %s, the first one %s", header, c.header))
	}
	return nil
}

func (c *client) count(of middleware.Metadata) {
	made := 1
	if results, ok := retry.GetAttemptResults(of); ok {
		made = max(1, len(results.Results))
	}
	c.attempts.Add(int64(made))
}

func headerOf(sse string, customer *string) string {
	if aws.ToString(customer) != "" {
		return "customer"
	}
	if sse == "" {
		return "none"
	}
	return sse
}

func etagKind(etag string, sum [md5.Size]byte) string {
	if strings.Contains(etag, "-") {
		return "multipart"
	}
	if etag == hex.EncodeToString(sum[:]) {
		return "md5"
	}
	return "opaque"
}

func partsOf(etag string) int {
	_, number, found := strings.Cut(etag, "-")
	if parts, err := strconv.Atoi(number); found && err == nil {
		return parts
	}
	return 1
}

func serverOf(metadata middleware.Metadata) string {
	raw, ok := awsmiddleware(metadata)
	if !ok {
		return ""
	}
	return raw.Header.Get("Server")
}
