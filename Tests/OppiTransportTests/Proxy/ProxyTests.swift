// SPDX-License-Identifier: MIT

import OppiTransport
import OppiWire
import Testing

@Suite("Proxy")
struct ProxyTests {
  @Test(
    "a proxy is parsed from its URL",
    arguments: [
      ("http://proxy.example:8080", .http, "proxy.example", 8080),
      ("proxy.example:8080", .http, "proxy.example", 8080), ("proxy", .http, "proxy", 3128),
      ("HTTP://proxy/", .http, "proxy", 3128), ("http://[::1]:9/path", .http, "::1", 9),
      ("http://[::1]", .http, "::1", 3128), ("socks5://127.0.0.1", .socks5, "127.0.0.1", 1080),
      ("socks5h://p:1", .socks5, "p", 1), ("socks://p", .socks5, "p", 1080),
    ] as [(String, Proxy.Kind, String, Int)]
  )
  func url(text: String, kind: Proxy.Kind, host: String, port: Int) throws {
    let proxy = try #require(Proxy(url: text))
    #expect(proxy.kind == kind)
    #expect(proxy.host == host)
    #expect(proxy.port == port)
    #expect(proxy.credentials == nil)
  }

  @Test(
    "credentials precede the host and may be percent-encoded",
    arguments: [
      ("http://ann:secret@p", "ann", "secret"), ("ann@p", "ann", ""), ("ann:@p", "ann", ""),
      ("http://a:b:c@p", "a", "b:c"), ("http://a:x@y@p", "a", "x@y"),
      ("socks5://a%40b:p%3A%2F%25w@p", "a@b", "p:/%w"), ("http://%C3%A9:100%@p", "é", "100%"),
      ("http://a%5:%+1%zz@p", "a%5", "%+1%zz"),
    ]
  )
  func credentials(text: String, user: String, password: String) throws {
    let proxy = try #require(Proxy(url: text))
    #expect(proxy.host == "p")
    #expect(proxy.credentials?.user == user)
    #expect(proxy.credentials?.password == password)
  }

  @Test(
    "any other URL is rejected",
    arguments: [
      "", "http://", "https://proxy", "socks4://proxy", "ftp://proxy", "http://:80", "http://p:",
      "http://p:0", "http://p:65536", "http://p:http", "http://a b", "http://a\r\nX: y",
    ]
  )
  func unusable(text: String) {
    #expect(Proxy(url: text) == nil)
  }

  @Test("proxies are compared by all their parts")
  func equality() {
    let url = "http://a:b@p:1"
    #expect(Proxy(url: url) == Proxy(url: "http://a:b@p:1/"))
    for other in [
      "socks5://a:b@p:1", "http://x:b@p:1", "http://a:x@p:1", "http://a:b@x:1", "http://a:b@p:2",
    ] {
      #expect(Proxy(url: url) != Proxy(url: other))
    }
  }
}

@Suite("ProxySettings")
struct ProxySettingsTests {
  private func host(
    for host: String,
    scheme: Endpoint.Scheme = .https,
    _ environment: [String: String]
  ) throws -> String? {
    let endpoint = try #require(Endpoint(scheme: scheme, host: host, port: 7749))
    return try ProxySettings(environment: environment).proxy(for: endpoint)?.host
  }

  @Test(
    "the variable for https has precedence, and lower case precedes upper case",
    arguments: [
      ([:], nil), (["HTTP_PROXY": "h", "http_proxy": "h"], nil), (["ALL_PROXY": "a"], "a"),
      (["HTTPS_PROXY": "H", "ALL_PROXY": "a"], "H"),
      (["HTTPS_PROXY": "H", "https_proxy": "h"], "h"),
      (["https_proxy": "", "HTTPS_PROXY": "H"], "H"), (["HTTPS_PROXY": "", "all_proxy": "a"], "a"),
    ] as [([String: String], String?)]
  )
  func variables(environment: [String: String], expected: String?) throws {
    #expect(try host(for: "oppi.example", environment) == expected)
  }

  @Test("plain servers and the local host are reached without a proxy")
  func direct() throws {
    let environment = ["HTTPS_PROXY": "proxy", "ALL_PROXY": "proxy"]
    #expect(try host(for: "oppi.example", scheme: .http, environment) == nil)
    for local in ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1"] {
      #expect(try host(for: local, environment) == nil)
    }
    #expect(try host(for: "oppi.example", environment) == "proxy")
  }

  @Test(
    "an exception matches a host and its subdomains",
    arguments: [
      ("example.com", true), (".example.com", true), ("*.example.com", true), ("*", true),
      ("other.org, oppi.example.com", true), ("other.org example.com", true), ("EXAMPLE.com", true),
      ("com", true), ("ample.com", false), ("oppi", false), ("x.oppi.example.com", false),
      ("", false), (",", false), (" , ", false), (".", false),
    ]
  )
  func exceptions(list: String, isException: Bool) throws {
    let environment = ["HTTPS_PROXY": "proxy", "NO_PROXY": list]
    #expect(try host(for: "oppi.example.com", environment) == (isException ? nil : "proxy"))
  }

  @Test("an unsupported proxy is an error and not ignored")
  func unsupported() throws {
    let environment = ["HTTPS_PROXY": "https://proxy", "NO_PROXY": "near.example"]
    #expect { try host(for: "oppi.example", environment) } throws: { error in
      if case TransportError.proxyFailed = error { true } else { false }
    }
    #expect(try host(for: "near.example", environment) == nil)
    #expect(try host(for: "localhost", environment) == nil)
  }
}
