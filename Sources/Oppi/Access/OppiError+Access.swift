// SPDX-License-Identifier: MIT

import OppiModel

/// Why a server issues no access token.
extension OppiError {
  init(_ refusal: AccessRefusal, server: String) {
    switch refusal {
    case .unknownDevice, .revoked:
      self.init(
        .unauthorized,
        "\(server) has revoked this device",
        hints: [Self.pairAgain]
      )
    case .badSignature:
      self.init(
        .unauthorized,
        "\(server) rejected this device's key",
        hints: [Self.pairAgain]
      )
    case .notOffered:
      self.init(
        .unauthorized,
        "\(server) does not accept device keys",
        hints: ["if the server was downgraded, pair again with a new invite: oppi pair -"]
      )
    case .httpsRequired:
      self.init(
        .unauthorized,
        "\(server) requires https",
        hints: ["pair again with an invite for its https address: oppi pair -"]
      )
    case .rateLimited:
      self.init(
        .tooManyRequests,
        "\(server) issued too many access tokens to this device",
        hints: ["wait a minute and retry"]
      )
    case .tooManyChallenges:
      self.init(
        .tooManyRequests,
        "\(server) has too many unfinished sign-ins of this device",
        hints: ["wait two minutes and retry"]
      )
    case .newTokenRejected:
      self.init(
        .unauthorized,
        "\(server) rejected an access token that it had just issued",
        hints: ["retry; if it fails again, pair again with a new invite: oppi pair -"]
      )
    case .staleChallenge:
      self.init(brokenProtocol: "\(server) does not recognize its own challenges")
    case .invalidRequest:
      self.init(brokenProtocol: "\(server) rejected the request for an access token")
    }
  }

  private static let pairAgain = "pair again with a new invite: oppi pair -"
}
