#!/usr/bin/env bash
# Python's cryptography takes as long to read an RSA key of 2048 bits as for over 50 signatures with it: nearly all of
# it is the check that the key is consistent, which `unsafe_skip_rsa_key_validation` leaves out.
#
# Guess before the measurement: reading a PEM is decoding a few hundred bytes, at most one or two signatures.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet cryptography==50.0.0
env/bin/python - <<'EOF'
import time

import cryptography
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

key = rsa.generate_private_key(65537, 2048)
pem = key.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)


def fastest(call, times):
    """CPU seconds of the fastest call."""
    seconds = []
    for _ in range(times):
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
    return min(seconds)


read = fastest(lambda: serialization.load_pem_private_key(pem, None), 9)
unchecked = fastest(lambda: serialization.load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True), 99)
sign = fastest(lambda: key.sign(b"text", padding.PKCS1v15(), hashes.SHA256()), 99)
print(f"cryptography {cryptography.__version__}: read {1e3 * read:.2f} ms, without the check {1e3 * unchecked:.3f} ms, "
      f"sign {1e3 * sign:.3f} ms: reading is {read / sign:.0f} signatures")
raise SystemExit(0 if read > 50 * sign and unchecked < 5 * sign else 1)
EOF
