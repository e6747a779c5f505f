// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// The keys of a pairing: the server's, and that of this machine.
extension Pairing {
  /// A key for the pairing; `nil` where no server needs one, and OpenSSL is not installed.
  func makeKey(
    for invite: Invite,
    _ keyCommand: [String],
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> (device: DeviceCredential, publicKey: DevicePublicKey)? {
    guard keyCommand.isEmpty else {
      do {
        return try await DeviceKey.of(keyCommand, on: network.loop, until: deadline)
      } catch {
        throw .keyProgram(error, server: invite.name)
      }
    }
    do {
      return try DeviceKey.make()
    } catch .crypto(.unavailable) where invite.seal == nil {
      return nil
    }
  }

  /// Verifies the signature of a signed invite.
  func verify(_ invite: Invite) throws(IntentError) {
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
    guard isGenuine else { throw .invite(.badSignature) }
  }
}
