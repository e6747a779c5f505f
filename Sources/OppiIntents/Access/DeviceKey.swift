// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// Makes the keys of devices.
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

  static func publicKey(of device: DeviceCredential) throws(IntentError) -> DevicePublicKey {
    do throws(CryptoError) {
      let key = try CryptoKey.p256(privateDER: device.key, using: LibCrypto())
      guard let publicKey = key.p256 else { throw .failed }
      return publicKey
    } catch {
      throw .crypto(error)
    }
  }
}
