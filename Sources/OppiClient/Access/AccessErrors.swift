// SPDX-License-Identifier: MIT

package import OppiSystem
package import OppiTransport
package import OppiWire

/// Credentials that cannot be used, and servers that issue no access token.
extension OppiError {
  static func noToken(_ message: String, hints: [String] = []) -> OppiError {
    OppiError(.noToken, message, hints: hints)
  }

  /// A token or a key that is damaged; `source` is where it was read.
  static func invalidToken(of server: String, in source: String) -> OppiError {
    noToken("invalid token for \(server) in \(source)")
  }

  /// A failure of the program that signs for this machine.
  package static func keyProgram(_ failure: KeyProgram.Failure, server: String) -> OppiError {
    let subject = "the key command of \(server)"
    let help =
      "for what the program must print, see: oppi help keys; for an example: oppi examples show keys"
    return switch failure {
    case .program(.cancelled): OppiError(.interrupted, "interrupted").because(.cancelled)
    case .program(.timedOut):
      noToken("\(subject) timed out", hints: ["it must finish within 10 s"])
    case .program(.cannotStart(let cause)):
      noToken(
        "cannot start \(subject): \(cause)",
        hints: ["check keyCommand in servers.json, or pair again: oppi pair -"]
      )
    case .program(.tooMuchOutput): noToken("the output of \(subject) is too long", hints: [help])
    case .failed(let status): noToken("\(subject) exited with status \(status)", hints: [help])
    case .noPublicKey: noToken("\(subject) did not print a P-256 public key", hints: [help])
    case .noSignature: noToken("\(subject) did not print an ECDSA signature", hints: [help])
    case .otherKey:
      noToken("the signature by \(subject) does not match its public key", hints: [help])
    }
  }

  /// A refusal, with the server's words.
  package static func accessRefused(
    _ refusal: AccessRefusal,
    server: String,
    words reason: String? = nil
  ) -> OppiError {
    let (code, words, hint): (Code, String, String) =
      switch refusal {
      case .unknownDevice, .revoked: (.unauthorized, "has revoked this device", pairAgain)
      case .badSignature: (.unauthorized, "rejected this device's key", pairAgain)
      case .notOffered:
        (.unauthorized, "does not accept device keys", "if the server was downgraded, \(pairAgain)")
      case .httpsRequired:
        (
          .unauthorized,
          "requires https",
          "pair again with an invite for its https address: oppi pair -"
        )
      case .rateLimited:
        (
          .tooManyRequests,
          "received too many requests for access tokens",
          "wait a minute and retry"
        )
      case .tooManyChallenges:
        (
          .tooManyRequests,
          "does not know this device, or has too many unfinished sign-ins of it",
          "wait two minutes and retry; if it fails again, \(pairAgain)"
        )
      case .newTokenRejected:
        (
          .unauthorized,
          "rejected an access token that it had just issued",
          "retry; if it fails again, \(pairAgain)"
        )
      case .staleChallenge: (.protocolBroken, "does not recognize its own challenges", checkVersion)
      case .invalidRequest:
        (.protocolBroken, "rejected the request for an access token", checkVersion)
      }
    return OppiError(
      code,
      "\(server) \(words)\(reason.map { ": \($0)" } ?? "")",
      hints: [hint],
      because: .accessRefused(refusal)
    )
  }

  /// A key or a signature that cannot be made or checked.
  package static func crypto(_ error: CryptoError) -> OppiError {
    switch error {
    case .unavailable:
      OppiError(
        .tlsUnavailable,
        "cannot check signatures: OpenSSL's libcrypto is not installed",
        hints: ["install it (Debian: apt install libssl3)"],
        because: .noCrypto
      )
    case .failed: OppiError(.bug, "OpenSSL could not create a key or a signature")
    }
  }
}

extension DeviceStanding {
  /// The error of a refusal that only a new pairing cures; `nil` if there was none.
  package func error(server: String) -> OppiError? {
    refusal.map { .accessRefused($0, server: server, words: words) }
  }
}

extension CryptoError: ExplainedError {
  package var explanation: OppiError { .crypto(self) }
}
