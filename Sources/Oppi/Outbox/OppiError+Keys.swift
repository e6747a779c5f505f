// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension OppiError {
  private static let keyProgramHint =
    "for what the program must print, see: oppi help keys; for an example: oppi examples show keys"

  /// A failure of the program that signs for this machine.
  init(_ failure: KeyProgram.Failure, server: String) {
    let subject = "the key command of \(server)"
    switch failure {
    case .program(.cancelled): self.init(.interrupted, "interrupted")
    case .program(.timedOut):
      self.init(.noToken, "\(subject) timed out", hints: ["it must finish within 10 s"])
    case .program(.cannotStart(let cause)):
      self.init(
        .noToken,
        "cannot start \(subject): \(cause)",
        hints: ["check keyCommand in servers.json, or pair again: oppi pair -"]
      )
    case .program(.tooMuchOutput): self.init(.noToken, "the output of \(subject) is too long")
    case .failed(let status): self.init(.noToken, "\(subject) exited with status \(status)")
    case .noPublicKey: self.init(.noToken, "\(subject) did not print a P-256 public key")
    case .noSignature: self.init(.noToken, "\(subject) did not print an ECDSA signature")
    case .otherKey:
      self.init(.noToken, "the signature by \(subject) does not match its public key")
    }
    if hints.isEmpty, code != .interrupted { hints = [Self.keyProgramHint] }
  }
}
