// SPDX-License-Identifier: MIT

/// Why a server issues no access token to this device.
package enum AccessRefusal: Sendable, Hashable, CaseIterable {
  /// The device was removed from the server, or the server was reset.
  case unknownDevice
  case revoked
  /// The key of this device is not the one that the server has.
  case badSignature
  /// The challenge was used, or expired on the way.
  case staleChallenge
  /// The device has as many unused challenges as the server allows.
  case tooManyChallenges
  case rateLimited
  /// The server takes no credentials over plain `http`.
  case httpsRequired
  /// The server does not issue tokens to device keys.
  case notOffered
  /// The server could not read the request.
  case invalidRequest
}

extension AccessRefusal {
  /// Classifies the answer of `/auth/challenge`, where 404 has two meanings: an unknown device, or
  /// one with too many unused challenges.
  ///
  /// `openChallenges` counts the recorded ones that may still be valid, of which some may be missing;
  /// `nil` if there is no record.
  package init?(challenge status: Int, _ error: String?, openChallenges: Int?) {
    switch (status, error) {
    case (404, "Unknown or revoked device"):
      let isDoubtful = openChallenges.map { $0 >= Self.leastDoubt } ?? true
      self = isDoubtful ? .tooManyChallenges : .unknownDevice
    case (401, _), (404, _): self = .notOffered
    default: self.init(status, error)
    }
  }

  /// Classifies the answer of `/auth/refresh`.
  package init?(refresh status: Int, _ error: String?) {
    switch (status, error) {
    case (404, "unknown_device"): self = .unknownDevice
    case (403, "revoked"): self = .revoked
    case (401, "unknown_nonce"), (401, "nonce_reused"), (401, "nonce_expired"):
      self = .staleChallenge
    case (401, "bad_signature"): self = .badSignature
    case (401, _), (404, _): self = .notOffered
    default: self.init(status, error)
    }
  }

  /// Classifies what all routes of tokens answer; `nil` for a failure of the server.
  private init?(_ status: Int, _ error: String?) {
    switch status {
    case 400, 413: self = .invalidRequest
    case 403: self = error == "HTTPS required" ? .httpsRequired : .revoked
    case 429: self = .rateLimited
    default: return nil
    }
  }

  /// Servers keep four unused challenges of a device, of which two may be missing from the record.
  ///
  /// One is normal: each token comes with the challenge for the next.
  private static let leastDoubt = 2
  /// How long a server keeps an unused challenge.
  package static let challengeLifetime = Duration.seconds(90)

  /// Whether the device must be paired again.
  package var isFinal: Bool {
    switch self {
    case .unknownDevice, .revoked, .badSignature, .notOffered: true
    case .staleChallenge, .tooManyChallenges, .rateLimited, .httpsRequired, .invalidRequest: false
    }
  }
}
