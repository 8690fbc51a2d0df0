/*
 * The EVP calls that PHP 8.2's openssl_sign() and openssl_verify() make (ext/openssl/openssl.c), and nothing else.
 *
 *     evp PRIVATE.pem PUBLIC.pem TEXT
 *
 * reads lines "MODE COUNT" from stdin. For each it runs COUNT operations that settle, COUNT that are timed, and prints
 * "NANOSECONDS FAILURES". Modes:
 *
 *     sign, verify              as PHP does: a digest context made, filled with TEXT, used and freed by each call
 *     sign-ready, verify-ready  as `openssl speed` does: a context made ready once, ready-made bytes, no hashing
 *     digest                    SHA-256 of TEXT alone
 */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* `openssl speed` signs 36 bytes with RSA (the size of MD5 and SHA-1 together) and 20 with ECDSA. */
enum { RSA_BYTES = 36, EC_BYTES = 20 };

static EVP_PKEY *private_key, *public_key;
static const char *text;
static size_t text_length;

static unsigned char *signature; /* made by each sign(), checked by verify() */
static unsigned int signature_length;

static EVP_PKEY_CTX *ready_to_sign, *ready_to_verify;
static unsigned char ready_bytes[RSA_BYTES], ready_signature[1024], scratch[1024];
static size_t ready_length, ready_signature_length;

static void need(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "evp: %s\n", what);
        exit(1);
    }
}

static int sign(void) {
    EVP_PKEY_up_ref(private_key); /* PHP takes the key out of its object */
    unsigned int length = (unsigned int)EVP_PKEY_size(private_key);
    unsigned char *made = malloc((size_t)length + 1); /* PHP gives a new string to each caller */
    EVP_MD_CTX *context = EVP_MD_CTX_create();
    int good = made && context && EVP_SignInit(context, EVP_sha256()) && EVP_SignUpdate(context, text, text_length) &&
               EVP_SignFinal(context, made, &length, private_key);
    EVP_MD_CTX_destroy(context);
    EVP_PKEY_free(private_key);
    free(signature);
    signature = made;
    signature_length = length;
    return good;
}

static int verify(void) {
    EVP_PKEY_up_ref(public_key);
    EVP_MD_CTX *context = EVP_MD_CTX_create();
    int good = context && EVP_VerifyInit(context, EVP_sha256()) && EVP_VerifyUpdate(context, text, text_length) &&
               EVP_VerifyFinal(context, signature, signature_length, public_key) == 1;
    EVP_MD_CTX_destroy(context);
    EVP_PKEY_free(public_key);
    return good;
}

static int sign_ready(void) {
    size_t length = sizeof scratch;
    return EVP_PKEY_sign(ready_to_sign, scratch, &length, ready_bytes, ready_length) == 1;
}

static int verify_ready(void) {
    return EVP_PKEY_verify(ready_to_verify, ready_signature, ready_signature_length, ready_bytes, ready_length) == 1;
}

static int digest(void) {
    unsigned int length;
    return EVP_Digest(text, text_length, scratch, &length, EVP_sha256(), NULL);
}

static void make_ready(void) {
    ready_length = EVP_PKEY_base_id(private_key) == EVP_PKEY_RSA ? RSA_BYTES : EC_BYTES;
    memset(ready_bytes, 0x5a, sizeof ready_bytes);
    ready_to_sign = EVP_PKEY_CTX_new(private_key, NULL);
    ready_to_verify = EVP_PKEY_CTX_new(public_key, NULL);
    need(ready_to_sign && EVP_PKEY_sign_init(ready_to_sign) == 1, "cannot make ready to sign");
    need(ready_to_verify && EVP_PKEY_verify_init(ready_to_verify) == 1, "cannot make ready to verify");
    ready_signature_length = sizeof ready_signature;
    need(EVP_PKEY_sign(ready_to_sign, ready_signature, &ready_signature_length, ready_bytes, ready_length) == 1,
         "cannot sign");
}

static EVP_PKEY *read_key(const char *path, int is_private) {
    FILE *file = fopen(path, "r");
    need(file != NULL, "cannot open a key's file");
    EVP_PKEY *key = is_private ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : PEM_read_PUBKEY(file, NULL, NULL, NULL);
    fclose(file);
    need(key != NULL, "cannot read a key");
    return key;
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static const struct {
    const char *name;
    int (*run)(void);
} modes[] = {
    {"sign", sign},
    {"verify", verify},
    {"sign-ready", sign_ready},
    {"verify-ready", verify_ready},
    {"digest", digest},
};

int main(int count_of_arguments, char **arguments) {
    need(count_of_arguments == 4, "usage: evp PRIVATE.pem PUBLIC.pem TEXT");
    private_key = read_key(arguments[1], 1);
    public_key = read_key(arguments[2], 0);
    text = arguments[3];
    text_length = strlen(text);
    need(sign() && verify(), "cannot sign and verify");
    make_ready();

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%s\n", OpenSSL_version(OPENSSL_VERSION));
    char mode[16];
    long count;
    while (scanf("%15s %ld", mode, &count) == 2) {
        int (*run)(void) = NULL;
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
            if (strcmp(mode, modes[i].name) == 0) run = modes[i].run;
        need(run != NULL, "unknown mode");
        for (long i = 0; i < count; i++) run();
        long failures = 0;
        long long start = now();
        for (long i = 0; i < count; i++)
            if (!run()) failures++;
        printf("%lld %ld\n", now() - start, failures);
    }
    return 0;
}
