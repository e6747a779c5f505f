// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import TestSupport
import Testing

@Suite struct SecretFilterTests {
  private static let secrets = [
    "at_abcdefghijklmnopqrstuvwx", "dt_abcdefghijklmnopqrstuvwx", "MHcCAQEEIK/0+abcdefghijklmnop==",
    "at_abcdefghijklmnop",
  ]

  private static let filter: SecretFilter = {
    var filter = SecretFilter()
    for secret in secrets { filter.insert(secret) }
    return filter
  }()

  @Test("a secret is removed wherever it is", arguments: secrets)
  func places(secret: String) {
    for before in ["", "x", "Bearer ", "at_", secret + " ", String(repeating: "ab", count: 40)] {
      for after in ["", "y", "\"", "=", " at_abcdefghijkl"] {
        let text = Self.filter.redacted(before + secret + after)
        #expect(!text.contains(secret) && text.contains("[secret]"), "\(before)|\(after)")
        #expect(text.hasSuffix(after) || secret.hasPrefix("at_"), "\(text)")
      }
    }
    #expect(Self.filter.redacted(secret + secret) == "[secret][secret]")
  }

  @Test("the longest of several secrets at one place is removed")
  func longest() {
    for secrets in [Self.secrets, Self.secrets.reversed()] {
      var filter = SecretFilter()
      for secret in secrets { filter.insert(secret) }
      #expect(filter.redacted("=\(Self.secrets[0])=") == "=[secret]=")
    }
  }

  @Test("a text of the least length is a secret, and a shorter one is not")
  func least() {
    for (count, isSecret) in [(SecretFilter.shortest - 1, false), (SecretFilter.shortest, true)] {
      var filter = SecretFilter()
      let text = String("dt_abcdefghijklmnopqrst".prefix(count))
      let isKept = filter.insert(text)
      #expect(isKept == isSecret)
      #expect((filter.redacted("a \(text) b") == "a [secret] b") == isSecret)
    }
  }

  @Test("a secret that JSON writes with escapes is removed, and the rest keeps its meaning")
  func escapes() throws {
    for json in [
      #"{"a":"\u0061t_abcdefghijklmnopqrstuvwx","b":"\\u0061\n\"\u001b\u00e9\/"}"#,
      #"{"a":"at\u005Fabcdefghijklmnopqrstuvwx","b":"\\u0061\n\"\u001b\u00e9\/"}"#,
    ] {
      let bytes = try #require(Self.filter.redacted(Array(json.utf8)))
      let value = try JSONValue(parsing: bytes)
      #expect(value == ["a": "[secret]", "b": "\\u0061\n\"\u{1B}\u{E9}/"])
    }
    let slash = #""MHcCAQEEIK\/0+abcdefghijklmnop==""#
    #expect(Self.filter.redacted(Array(slash.utf8)) == Array("\"[secret]\"".utf8))
    for text in [#"\"#, #"\u"#, #"\u00"#, #"\u0061"#] {
      #expect(Self.filter.redacted(Array((text + String(repeating: " ", count: 20)).utf8)) == nil)
    }
  }

  @Test("ordinary text is not copied, and what is too short to be a secret stays")
  func others() {
    var filter = Self.filter
    let text = "at_abcdefghijklmno at_abc dt_abcdefghijklmnopqrstuvw MHcCAQEEIK/0+abcdef \u{e9}"
    #expect(filter.redacted(Array(text.utf8)) == nil)
    #expect(filter.redacted([]) == nil)
    let (isShortKept, isNew) = (filter.insert("password"), filter.insert(Self.secrets[0]))
    #expect(!isShortKept && !isNew)
    #expect(filter.redacted("the password is a word") == "the password is a word")
  }

  @Test("random texts: what remains contains no secret, and what is removed was one")
  func random() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      var parts: [String] = []
      for _ in 0..<6 {
        let secret = Self.secrets[Int.random(in: 0..<4, using: &generator)]
        let isWhole = Bool.random(using: &generator)
        let length = Int.random(in: 1..<15, using: &generator)
        parts.append(isWhole ? secret : String(secret.suffix(length)))
      }
      let text = parts.joined(separator: "|")
      let redacted = Self.filter.redacted(text)
      let expected = parts.map { part in
        Self.secrets.contains(part) ? "[secret]" : part
      }.joined(separator: "|")
      #expect(redacted == expected, "\(text)")
    }
  }

  @Test("of very many secrets, the latest stay known")
  func many() {
    var filter = SecretFilter()
    var lost: [Int] = []
    for number in 0..<1000 {
      filter.insert("at_abcdefghijklmnopqrs\(1000 + number)")
      let latest = max(0, number - 1)
      let text = filter.redacted("at_abcdefghijklmnopqrs\(1000 + latest)")
      if text != "[secret]" { lost.append(latest) }
    }
    #expect(lost == [])
    for number in 900..<1000 {
      #expect(filter.redacted("at_abcdefghijklmnopqrs\(1000 + number)") == "[secret]")
    }
  }
}
