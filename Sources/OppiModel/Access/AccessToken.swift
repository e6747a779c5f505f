// SPDX-License-Identifier: MIT

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

  package init(
    deviceID: String,
    text: String,
    issuedAt: Timestamp,
    expiresAt: Timestamp,
    challenge: Challenge? = nil
  ) {
    self.deviceID = deviceID
    self.text = text
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.challenge = challenge
  }

  /// A text that a device signs to get a token; it can be used once.
  package struct Challenge: Sendable, Equatable {
    package var nonce: String
    package var expiresAt: Timestamp

    package init(nonce: String, expiresAt: Timestamp) {
      self.nonce = nonce
      self.expiresAt = expiresAt
    }
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
    challenge.flatMap { issuedAt <= now && now < $0.expiresAt ? $0 : nil }
  }
}

// MARK: - JSON

extension AccessToken {
  package init?(json: JSONValue) {
    guard let token = Self.shape.record(from: json) else { return nil }
    self = token
  }

  package var json: JSONValue { Self.shape.json(of: self) }

  private static let shape = RecordShape(
    AccessToken(
      deviceID: "",
      text: "",
      issuedAt: Timestamp(milliseconds: 0),
      expiresAt: Timestamp(milliseconds: 0)
    ),
    [
      .required("deviceId", \.deviceID, .wireID),
      .required("token", \.text, .bearer),
      .required("issuedAt", \.issuedAt, .milliseconds),
      .required("expiresAt", \.expiresAt, .milliseconds),
      .optional("challenge", \.challenge, .object(Challenge.shape)),
    ]
  )
}

extension AccessToken.Challenge {
  fileprivate static let shape = RecordShape(
    AccessToken.Challenge(nonce: "", expiresAt: Timestamp(milliseconds: 0)),
    [
      .required("nonce", \.nonce, .bearer),
      .required("expiresAt", \.expiresAt, .milliseconds),
    ]
  )
}

extension JSONField<String> {
  /// A secret that is valid in a header.
  fileprivate static var bearer: JSONField { text.accepting(BearerToken.isValid) }
}
