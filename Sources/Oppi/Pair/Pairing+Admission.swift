// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

extension Pairing {
  /// The paired server that an invite would move to another place, which the user must agree to;
  /// `nil` if the invite may pair at once.
  ///
  /// - Throws: If the invite must not pair.
  func change(by invite: Invite) throws(OppiError) -> PairedServer? {
    try change(by: invite, of: try known(invite.fingerprint))
  }

  private func change(
    by invite: Invite,
    of known: PairedServer?
  ) throws(OppiError) -> PairedServer? {
    guard let known else { return nil }
    switch invite.decision(replacing: known, hasKey: try hasKey(known)) {
    case .allowed: return nil
    case .asked: return known
    case .refused:
      throw OppiError(
        .identityMismatch,
        "not paired: \(known.name) has proved its identity, but this invite is not signed by it",
        hints: [
          "create a new invite on the server: oppi pair --json",
          "if the server was reinstalled, remove it first: oppi servers forget \(known.name)",
        ]
      )
    }
  }

  /// Checks that an invite may pair a server, or that the user has agreed to what it replaces.
  ///
  /// - Parameters:
  ///   - invite: The invite, whose signature is verified.
  ///   - id: The server's identity, if it is known.
  ///   - replaced: The place that the user has agreed to replace.
  /// - Returns: The server's earlier entry.
  /// - Throws: If not.
  @discardableResult
  func admit(
    _ invite: Invite,
    to id: Fingerprint?,
    replacing replaced: ServerPlace?
  ) throws(OppiError) -> PairedServer? {
    let known = try known(id)
    if let changed = try change(by: invite, of: known), changed.place != replaced {
      throw .changes(changed, to: invite.place)
    }
    return known
  }

  private func known(_ id: Fingerprint?) throws(OppiError) -> PairedServer? {
    do {
      return try servers.load().servers.first { $0.id == id }
    } catch {
      throw .file(error)
    }
  }

  /// Whether a server issues tokens to a key of this machine.
  private func hasKey(_ server: PairedServer) throws(OppiError) -> Bool {
    guard server.keyCommand.isEmpty else { return true }
    do {
      return try credentials.device(of: server.id)?.deviceID != nil
    } catch {
      throw .file(error)
    }
  }
}

extension OppiError {
  fileprivate static func changes(_ server: PairedServer, to place: ServerPlace) -> OppiError {
    func text(_ place: ServerPlace) -> String {
      "\(place.endpoint) (\(place.certificatePin?.text ?? "no pin"))"
    }
    return OppiError(
      .identityMismatch,
      "not paired: \(server.name) is paired at \(text(server.place)), but the invite names "
        + text(place),
      hints: [
        "run it on a terminal to confirm the change",
        "or remove the server first: oppi servers forget \(server.name)",
      ]
    )
  }
}

/// The keys of a pairing: the server's, and that of this machine.
extension Pairing {
  /// A key for the pairing; `nil` where no server needs one, and OpenSSL is not installed.
  func makeKey(
    for invite: Invite,
    _ keyCommand: [String],
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (device: DeviceCredential, publicKey: DevicePublicKey)? {
    guard keyCommand.isEmpty else {
      do {
        return try await DeviceKey.of(keyCommand, on: network.loop, until: deadline)
      } catch {
        throw .keyProgram(error, server: invite.name)
      }
    }
    do {
      return try DeviceKey.make()
    } catch  where error.reason == .noCrypto && invite.seal == nil {
      return nil
    }
  }

  /// Verifies the signature of a signed invite.
  func verify(_ invite: Invite) throws(OppiError) {
    guard let seal = invite.seal else { return }
    let isGenuine: Bool
    do throws(CryptoError) {
      let key = try CryptoKey.ed25519(publicKey: seal.publicKey, using: LibCrypto())
      isGenuine = key.verifiesEd25519(seal.signature, of: seal.payload)
    } catch .unavailable {
      throw .crypto(.unavailable)
    } catch {
      isGenuine = false
    }
    guard isGenuine else { throw InviteError.badSignature.explanation }
  }
}
