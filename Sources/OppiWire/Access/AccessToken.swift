// SPDX-License-Identifier: MIT

package import OppiText

/// A short-lived token of a device, as all processes of the user share it.
///
/// Times are by this machine's clock.
package struct AccessToken: Sendable, Equatable {
  /// The device that the server issued it for.
  package var deviceID: String
  package var text: String
  package var issuedAt: Timestamp
  package var expiresAt: Timestamp
  /// For the next refresh; saves the request for one.
  package var challenge: Challenge?

  /// A text that a device signs to get a token; it can be used once.
  package struct Challenge: Sendable, Equatable {
    package var nonce: String
    package var expiresAt: Timestamp

    /// The text before the nonce in a signed message.
    package static let audience = "oppi:refresh:v1"
    /// From the server's answer to the announced end.
    package static let lifetime = Duration.seconds(60)
    /// How long servers accept it after the announced end.
    package static let grace = Duration.seconds(30)

    /// The bytes that the device signs.
    package var message: [UInt8] { Array("\(Self.audience).\(nonce)".utf8) }
  }
}

// MARK: - Freshness

extension AccessToken {
  /// When a token is replaced.
  package enum Need: Sendable {
    /// For one command.
    case command
    /// For a service that replaces it in time for others.
    case service

    /// The remaining lifetime at which the token is replaced.
    fileprivate func margin(of lifetime: Duration) -> Duration {
      switch self {
      case .command: min(.seconds(30), lifetime / 4)
      case .service: min(.seconds(150), lifetime / 2)
      }
    }
  }

  /// Whether the token need not be replaced yet.
  ///
  /// A token from the future is not trusted: the clock was set back.
  package func isFresh(at now: Timestamp, for need: Need = .command) -> Bool {
    let lifetime = Duration.milliseconds(expiresAt.milliseconds - issuedAt.milliseconds)
    return issuedAt <= now && now < expiresAt.moved(by: .zero - need.margin(of: lifetime))
  }

  /// The challenge, unless it has expired.
  package func challenge(at now: Timestamp) -> Challenge? {
    challenge.flatMap { challenge in
      let end = challenge.expiresAt.moved(by: Challenge.grace)
      return issuedAt <= now && now < end ? challenge : nil
    }
  }
}

// MARK: - JSON

extension AccessToken: ShapedRecord {
  package static let shape = RecordShape(
    AccessToken(
      deviceID: "",
      text: "",
      issuedAt: Timestamp(milliseconds: 0),
      expiresAt: Timestamp(milliseconds: 0)
    ),
    [
      .required("deviceId", { $1(&$0.deviceID) }, .wireID),
      .required("token", { $1(&$0.text) }, .bearer),
      .required("issuedAt", { $1(&$0.issuedAt) }, .milliseconds),
      .required("expiresAt", { $1(&$0.expiresAt) }, .milliseconds),
      .optional("challenge", { $1(&$0.challenge) }, .object(Challenge.shape)),
    ]
  )
}

extension AccessToken.Challenge {
  fileprivate static let shape = RecordShape(
    AccessToken.Challenge(nonce: "", expiresAt: Timestamp(milliseconds: 0)),
    [
      .required("nonce", { $1(&$0.nonce) }, .bearer),
      .required("expiresAt", { $1(&$0.expiresAt) }, .milliseconds),
    ]
  )
}

extension JSONField<String> {
  /// A secret that is valid in a header.
  fileprivate static var bearer: JSONField { text.accepting(BearerToken.isValid) }
}

// MARK: - Answers of servers

extension AccessToken {
  private static let usualLifetime = Duration.seconds(600)
  /// Limits the effect of a wrong time in an answer.
  private static let longestLifetime = Duration.seconds(3600)

  /// Reads the answer of `/pair`, `/auth/refresh` or `/auth/migrate`; `nil` if it has no usable
  /// token, or if the device is not known.
  ///
  /// - Parameters:
  ///   - json: The answer, with times by the server's clock.
  ///   - deviceID: The device, if the answer does not name it.
  ///   - now: The time of arrival.
  ///   - serverTime: The server's clock at that time; if unknown, the usual lifetime is assumed.
  package init?(
    answer json: JSONValue,
    of deviceID: String?,
    receivedAt now: Timestamp,
    serverTime: Timestamp?
  ) {
    guard let text = json["accessToken"].string, BearerToken.isValid(text),
      let end = json["expiresAt"].int.map(Timestamp.init(milliseconds:)),
      let deviceID = json["deviceId"].wireID ?? deviceID
    else { return nil }
    let serverTime = serverTime ?? end.moved(by: .zero - Self.usualLifetime)
    func local(_ moment: Timestamp) -> Timestamp {
      let left = Duration.milliseconds(moment.milliseconds - serverTime.milliseconds)
      return now.moved(by: min(max(left, .zero), Self.longestLifetime))
    }
    self.init(deviceID: deviceID, text: text, issuedAt: now, expiresAt: local(end))
    challenge = Challenge(answer: json["refreshChallenge"])
    if let end = challenge?.expiresAt { challenge?.expiresAt = local(end) }
  }
}

extension AccessToken.Challenge {
  /// Reads a server's challenge, with a time by the server's clock; `nil` if it is unusable or for
  /// another purpose, and must not be signed.
  package init?(answer json: JSONValue) {
    guard json["audience"].string == Self.audience, let nonce = json["nonce"].string,
      BearerToken.isValid(nonce), let expiresAt = json["expiresAt"].int
    else { return nil }
    self.init(nonce: nonce, expiresAt: Timestamp(milliseconds: expiresAt))
  }
}

/// Why a server issues no access token to this device.
package enum AccessRefusal: String, Sendable, Hashable, CaseIterable {
  /// The device was removed from the server, or the server was reset.
  case unknownDevice
  case revoked
  /// The key of this device is not the one that the server has.
  case badSignature
  /// The challenge was used, or expired on the way.
  case staleChallenge
  /// The device has as many unused challenges as the server allows, or is not known to it.
  case tooManyChallenges
  case rateLimited
  /// The server takes no credentials over plain `http`.
  case httpsRequired
  /// The server does not issue tokens to device keys.
  case notOffered
  /// The server could not read the request.
  case invalidRequest
  /// The server rejected a token that it had just issued.
  case newTokenRejected
}

extension AccessRefusal {
  /// Classifies the answer of `/auth/challenge`, where 404 has two meanings: an unknown device, or
  /// one with too many unused challenges, which ``DeviceStanding`` tells apart.
  package init?(challenge status: Int, _ error: String?) {
    switch (status, error) {
    case (404, "Unknown or revoked device"): self = .tooManyChallenges
    case (401, _), (404, _): self = .notOffered
    default: self.init(status, error)
    }
  }

  /// Classifies the answer of `/auth/refresh`.
  package init?(refresh status: Int, _ error: String?) {
    switch (status, error) {
    case (404, "unknown_device"): self = .unknownDevice
    case (401, "unknown_nonce"), (401, "nonce_reused"), (401, "nonce_expired"):
      self = .staleChallenge
    case (401, "bad_signature"): self = .badSignature
    case (401, _), (404, _): self = .notOffered
    default: self.init(status, error)
    }
  }

  /// Classifies what all routes of tokens answer; `nil` for a failure of the server, and for a 403
  /// without its words, which a proxy may send.
  private init?(_ status: Int, _ error: String?) {
    switch (status, error) {
    case (403, "revoked"): self = .revoked
    case (403, "HTTPS required"): self = .httpsRequired
    case (403, _): return nil
    case (429, _): self = .rateLimited
    case (400..<500, _): self = .invalidRequest
    default: return nil
    }
  }

  /// How long a server keeps an unused challenge.
  package static let challengeLifetime =
    AccessToken.Challenge.lifetime + AccessToken.Challenge.grace

  /// Whether only a new pairing gives the device access again, by the server's own words.
  package var isLasting: Bool {
    self == .unknownDevice || self == .revoked || self == .badSignature
  }

  /// Whether the device must be paired again.
  package var isFinal: Bool {
    switch self {
    case .unknownDevice, .revoked, .badSignature, .notOffered: true
    case .staleChallenge, .tooManyChallenges, .rateLimited, .httpsRequired, .invalidRequest,
      .newTokenRejected:
      false
    }
  }
}

/// A secret that grants access to a server.
package enum BearerToken {
  /// Whether the text is valid in an `Authorization` header: 1 to 4096 visible ASCII characters.
  package static func isValid(_ text: String) -> Bool {
    (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
