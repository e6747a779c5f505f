// SPDX-License-Identifier: MIT

/// A server's answer that issues an access token: of `/pair`, `/auth/refresh` or `/auth/migrate`.
package struct AccessGrant: Sendable, Equatable {
  /// The text before the nonce in a signed message.
  package static let audience = "oppi:refresh:v1"

  /// Absent in the answer to a refresh.
  package var deviceID: String?
  package var text: String
  /// By the server's clock.
  package var expiresAt: Timestamp
  /// By the server's clock.
  package var challenge: AccessToken.Challenge?

  /// Reads an answer; `nil` if it has no usable token.
  package init?(json: JSONValue) {
    guard let text = json["accessToken"].string, BearerToken.isValid(text),
      let expiresAt = json["expiresAt"].int
    else { return nil }
    self.text = text
    self.expiresAt = Timestamp(milliseconds: expiresAt)
    deviceID = json["deviceId"].wireID
    challenge = AccessToken.Challenge(answer: json["refreshChallenge"])
  }

  /// The token by this machine's clock.
  ///
  /// - Parameters:
  ///   - deviceID: The device, if the answer does not name it.
  ///   - now: The time of arrival.
  ///   - serverTime: The server's clock at that time; if unknown, the usual lifetime is assumed.
  /// - Returns: The token.
  package func token(
    of deviceID: String,
    receivedAt now: Timestamp,
    serverTime: Timestamp?
  ) -> AccessToken {
    let serverTime = serverTime ?? expiresAt.moved(by: .zero - Self.usualLifetime)
    func local(_ moment: Timestamp) -> Timestamp {
      let left = Duration.milliseconds(moment.milliseconds - serverTime.milliseconds)
      return now.moved(by: min(max(left, .zero), Self.longestLifetime))
    }
    return AccessToken(
      deviceID: self.deviceID ?? deviceID,
      text: text,
      issuedAt: now,
      expiresAt: local(expiresAt),
      challenge: challenge.map { .init(nonce: $0.nonce, expiresAt: local($0.expiresAt)) }
    )
  }

  private static let usualLifetime = Duration.seconds(600)
  /// Limits the effect of a wrong time in an answer.
  private static let longestLifetime = Duration.seconds(3600)
}

extension AccessToken.Challenge {
  /// Reads a server's challenge, with a time by the server's clock; `nil` if it is unusable or for
  /// another purpose, and must not be signed.
  package init?(answer json: JSONValue) {
    guard json["audience"].string == AccessGrant.audience, let nonce = json["nonce"].string,
      BearerToken.isValid(nonce), let expiresAt = json["expiresAt"].int
    else { return nil }
    self.init(nonce: nonce, expiresAt: Timestamp(milliseconds: expiresAt))
  }

  /// The bytes that the device signs.
  package var message: [UInt8] { Array("\(AccessGrant.audience).\(nonce)".utf8) }
}
