// SPDX-License-Identifier: MIT

import Testing

@testable import OppiText
@testable import OppiWire

@Suite("AccessToken")
struct AccessTokenTests {
  private static let start = Timestamp(milliseconds: 1_000_000)

  private static func token(lifetime: Int) -> AccessToken {
    AccessToken(
      deviceID: "dev_1",
      text: "at_1",
      issuedAt: start,
      expiresAt: start.moved(by: .milliseconds(lifetime)),
      challenge: .init(nonce: "n", expiresAt: start.moved(by: .seconds(60)))
    )
  }

  struct Freshness: Sendable {
    var lifetime: Int
    var need = AccessToken.Need.command
    var age: Int
    var isFresh: Bool
  }

  @Test(
    "a token is replaced before it expires, a service replaces it earlier",
    arguments: [
      Freshness(lifetime: 600_000, age: 569_999, isFresh: true),
      Freshness(lifetime: 600_000, age: 570_000, isFresh: false),
      Freshness(lifetime: 600_000, need: .service, age: 449_999, isFresh: true),
      Freshness(lifetime: 600_000, need: .service, age: 450_000, isFresh: false),
      // A short lifetime has a margin of a quarter, or half for a service.
      Freshness(lifetime: 4000, age: 2999, isFresh: true),
      Freshness(lifetime: 4000, age: 3000, isFresh: false),
      Freshness(lifetime: 4000, need: .service, age: 1999, isFresh: true),
      Freshness(lifetime: 4000, need: .service, age: 2000, isFresh: false),
      Freshness(lifetime: 0, age: 0, isFresh: false),
      // The clock was set back.
      Freshness(lifetime: 600_000, age: 0, isFresh: true),
      Freshness(lifetime: 600_000, age: -1, isFresh: false),
    ]
  )
  func freshness(sample: Freshness) {
    let now = Self.start.moved(by: .milliseconds(sample.age))
    #expect(
      Self.token(lifetime: sample.lifetime).isFresh(at: now, for: sample.need) == sample.isFresh
    )
  }

  @Test(
    "a challenge is used for 30 s after its announced end, unless the clock was set back",
    arguments: [(60_000, true), (89_999, true), (90_000, false), (0, true), (-1, false)]
  )
  func challenge(age: Int, isUsable: Bool) {
    let now = Self.start.moved(by: .milliseconds(age))
    #expect((Self.token(lifetime: 1).challenge(at: now) != nil) == isUsable)
  }

  @Test("a stored token is read as it was written")
  func roundTrip() {
    let token = Self.token(lifetime: 600_000)
    #expect(AccessToken(json: token.json) == token)
    var bare = token
    bare.challenge = nil
    #expect(AccessToken(json: bare.json) == bare)
  }

  @Test("a token with a control character is rejected")
  func invalid() {
    var token = Self.token(lifetime: 1)
    token.text = "at_1\r\nX: y"
    #expect(AccessToken(json: token.json) == nil)
  }

  // MARK: - Answers

  private static let answer: JSONValue = [
    "deviceId": "dev_1", "accessToken": "at_1", "expiresAt": 9_600_000,
    "refreshChallenge": [
      "nonce": "n", "audience": "oppi:refresh:v1", "expiresAt": 9_060_000,
    ],
  ]

  private static func issued(_ answer: JSONValue, at serverTime: Int?) -> AccessToken? {
    AccessToken(
      answer: answer,
      of: nil,
      receivedAt: start,
      serverTime: serverTime.map(Timestamp.init(milliseconds:))
    )
  }

  @Test("times of an answer are converted from the server's clock to this machine's")
  func skew() throws {
    #expect(Self.issued(Self.answer, at: 9_000_000) == Self.token(lifetime: 600_000))
  }

  @Test("an answer that names a device is for that one")
  func device() throws {
    for (named, other, device) in [("dev_1", "other", "dev_1"), (nil, "other", "other")] {
      let answer: JSONValue = .object([
        "deviceId": named.map(JSONValue.string), "accessToken": "at_1", "expiresAt": 1,
      ])
      let token = AccessToken(answer: answer, of: other, receivedAt: Self.start, serverTime: nil)
      #expect(token?.deviceID == device)
    }
  }

  @Test(
    "an unknown or absurd server time gives a usual or limited lifetime",
    arguments: [(nil, 600_000), (0, 3_600_000), (9_600_001, 0)] as [(Int?, Int)]
  )
  func absurd(serverTime: Int?, lifetime: Int) throws {
    let token = try #require(Self.issued(Self.answer, at: serverTime))
    #expect(token.expiresAt == Self.start.moved(by: .milliseconds(lifetime)))
  }

  @Test(
    "an answer without a usable token or a device is rejected",
    arguments: [
      [:], ["deviceId": "d", "accessToken": "", "expiresAt": 1],
      ["deviceId": "d", "accessToken": "at_1"],
      ["deviceId": "d", "accessToken": "a b", "expiresAt": 1],
      ["deviceId": "d", "accessToken": "at_1", "expiresAt": "soon"],
      ["accessToken": "at_1", "expiresAt": 1],
    ] as [JSONValue]
  )
  func noToken(answer: JSONValue) {
    #expect(Self.issued(answer, at: 1) == nil)
  }

  @Test("a challenge for another purpose is never signed")
  func audience() throws {
    let other: JSONValue = ["nonce": "n", "audience": "other:v1", "expiresAt": 1]
    #expect(AccessToken.Challenge(answer: other) == nil)
    let own: JSONValue = ["nonce": "abc", "audience": "oppi:refresh:v1", "expiresAt": 1]
    let challenge = try #require(AccessToken.Challenge(answer: own))
    #expect(challenge.message == Array("oppi:refresh:v1.abc".utf8))
  }
}

@Suite("AccessRefusal")
struct AccessRefusalTests {
  @Test(
    "each answer of /auth/refresh has its meaning",
    arguments: [
      (404, "unknown_device", .unknownDevice), (403, "revoked", .revoked),
      (401, "unknown_nonce", .staleChallenge), (401, "nonce_reused", .staleChallenge),
      (401, "nonce_expired", .staleChallenge), (401, "bad_signature", .badSignature),
      (429, "rate_limited", .rateLimited), (403, "HTTPS required", .httpsRequired),
      (413, "Request body too large", .invalidRequest), (400, "Invalid JSON", .invalidRequest),
      (400, "deviceId, nonce, and signature required", .invalidRequest),
      (401, "Unauthorized", .notOffered), (404, "Not found", .notOffered),
      (409, "conflict", .invalidRequest), (499, nil, .invalidRequest), (399, nil, nil),
      (500, "boom", nil), (503, nil, nil), (403, nil, nil), (403, "Forbidden", nil),
    ] as [(Int, String?, AccessRefusal?)]
  )
  func refresh(status: Int, error: String?, refusal: AccessRefusal?) {
    #expect(AccessRefusal(refresh: status, error) == refusal)
  }

  @Test(
    "each answer of /auth/challenge has its meaning",
    arguments: [
      (404, "Unknown or revoked device", .tooManyChallenges), (404, "Not found", .notOffered),
      (401, "Unauthorized", .notOffered), (429, "Too many challenge requests", .rateLimited),
      (403, "HTTPS required", .httpsRequired), (403, "revoked", .revoked), (403, "Forbidden", nil),
      (400, "deviceId required", .invalidRequest), (502, nil, nil),
    ] as [(Int, String?, AccessRefusal?)]
  )
  func challenge(status: Int, error: String?, refusal: AccessRefusal?) {
    #expect(AccessRefusal(challenge: status, error) == refusal)
  }

  @Test("only a device that can never sign in again must be paired again")
  func final() {
    #expect(
      AccessRefusal.allCases.filter(\.isFinal)
        == [.unknownDevice, .revoked, .badSignature, .notOffered]
    )
    // A server that was downgraded may be upgraded again.
    #expect(
      AccessRefusal.allCases.filter(\.isLasting) == [.unknownDevice, .revoked, .badSignature]
    )
  }
}
