"""From the bytes on the wire to the bytes of the document: type, size, digest, gzip."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import zlib

from hardware_catalog.benchmarks.errors import UploadRefused

COMPRESSED_MAX_BYTES = 262_144
# A document compresses by a factor of 3 to 6; far more is a bomb.
RATIO_MAX = 40
RATIO_FREE_BYTES = 262_144

_DIGEST_ITEM = re.compile(r"^\s*([a-z0-9*._-]+)\s*=\s*:([A-Za-z0-9+/=]*):\s*$")


def check_media(content_type: str, content_encoding: str) -> str:
    """Return the coding of the body, `identity` or `gzip`; refuse other types and codings (415)."""
    media = content_type.split(";")[0].strip().lower()
    if media != "application/json":
        raise UploadRefused(
            415,
            "unsupported_media_type",
            f"The body is {media or 'of no stated type'}: send application/json.",
        )
    coding = content_encoding.strip().lower() or "identity"
    if coding not in {"identity", "gzip"}:
        raise UploadRefused(
            415,
            "unsupported_content_encoding",
            f"The coding {coding} is not understood: send gzip or nothing.",
        )
    return coding


def check_size(length: int, coding: str, max_bytes: int) -> None:
    """Refuse (413) a body longer than its coding allows."""
    most = COMPRESSED_MAX_BYTES if coding == "gzip" else max_bytes
    if length > most:
        raise UploadRefused(
            413,
            "too_large",
            f"The body has {length:,} bytes; the limit is {most:,}.",
            limit_bytes=most,
        )


def check_digest(header: str, body: bytes) -> None:
    """Compare the body as sent with Content-Digest (RFC 9530); other algorithms are ignored.

    Raises UploadRefused 400 when sha-256 is given and differs, or the header cannot be read.
    """
    if not header.strip():
        return
    for item in header.split(","):
        found = _DIGEST_ITEM.match(item)
        if not found:
            raise UploadRefused(400, "digest_mismatch", "The Content-Digest header is malformed.")
        if found[1] != "sha-256":
            continue
        try:
            wanted = base64.b64decode(found[2], validate=True)
        except binascii.Error:
            wanted = b""
        if not hmac.compare_digest(wanted, hashlib.sha256(body).digest()):
            raise UploadRefused(
                400, "digest_mismatch", "The body does not have the digest in Content-Digest."
            )


def inflate(body: bytes, max_bytes: int) -> bytes:
    """Return the inflated gzip body, without ever holding more than the limit.

    Raises UploadRefused 413 past the limit and 400 for bytes that are not one whole gzip member.
    """
    most = min(max_bytes, max(RATIO_FREE_BYTES, RATIO_MAX * len(body)))
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        data = reader.decompress(body, most + 1)
    except zlib.error:
        raise UploadRefused(400, "malformed_gzip", "The body is not gzip.") from None
    if len(data) > most:
        raise UploadRefused(
            413,
            "too_large",
            f"The body inflates to more than {most:,} bytes.",
            limit_bytes=most,
        )
    if not reader.eof or reader.unused_data:
        raise UploadRefused(400, "malformed_gzip", "The gzip body is cut off or has a tail.")
    return data
