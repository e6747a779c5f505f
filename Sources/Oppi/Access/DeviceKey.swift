// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

enum DeviceKey {
  /// A new key that is not enrolled yet, and its public part.
  static func make() throws(IntentError) -> (DeviceCredential, DevicePublicKey) {
    do throws(CryptoError) {
      let key = try CryptoKey.generateP256(using: LibCrypto())
      guard let publicKey = key.p256 else { throw .failed }
      return (DeviceCredential(deviceID: nil, key: try key.privateDER()), publicKey)
    } catch {
      throw .crypto(error)
    }
  }

  /// The key of a program, which is not enrolled yet, and its public part.
  ///
  /// A signature of the program is checked first, because a failure after the pairing would waste
  /// the invite.
  static func of(
    _ command: [String],
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(KeyProgram.Failure) -> (DeviceCredential, DevicePublicKey) {
    let program = KeyProgram(command, on: loop)
    let publicKey = try await program.publicKey(until: deadline)
    let sample = Array("oppi:test".utf8)
    let signature = try await program.sign(sample, until: deadline)
    let isOwn: Bool
    do throws(CryptoError) {
      isOwn = try CryptoKey.p256(publicKey, using: LibCrypto()).verifiesP256(signature, of: sample)
    } catch .unavailable {
      // Without OpenSSL, only the server can check it.
      isOwn = true
    } catch {
      throw .noPublicKey
    }
    guard isOwn else { throw .otherKey }
    return (DeviceCredential(deviceID: nil, signer: .program(command)), publicKey)
  }

  /// The public part of a stored key.
  static func publicKey(of device: DeviceCredential) throws(IntentError) -> DevicePublicKey {
    do throws(CryptoError) {
      guard case .key(let der) = device.signer,
        let publicKey = try CryptoKey.p256(privateDER: der, using: LibCrypto()).p256
      else { throw .failed }
      return publicKey
    } catch {
      throw .crypto(error)
    }
  }
}
