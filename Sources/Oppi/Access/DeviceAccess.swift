// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport
import Synchronization

/// Access by a device key: short-lived tokens that all processes of the user share.
///
/// A token is replaced under a lock, and read again under it, so that processes that start together
/// request one token.
final class DeviceAccess: Access {
  private let credential: DeviceCredential
  private let server: Fingerprint
  private let store: AccessTokenStore
  /// The token as last read or received, which saves reading the file for each request.
  private let current = Mutex<AccessToken?>(nil)

  init(_ credential: DeviceCredential, of server: Fingerprint, in store: AccessTokenStore) {
    (self.credential, self.server, self.store) = (credential, server, store)
  }

  func token(
    for need: AccessToken.Need,
    over line: ServerLine
  ) async throws(OppiError) -> String? {
    if let token = known(for: need, butNot: nil, at: line.loop.timestamp()) { return token.text }
    return try await replaced(nil, for: need, over: line).text
  }

  func replacement(
    of rejected: String,
    over line: ServerLine
  ) async throws(OppiError) -> String? {
    try await replaced(rejected, for: .command, over: line).text
  }

  // MARK: - The shared token

  /// The token in memory or in the file, if it can be used.
  private func known(
    for need: AccessToken.Need,
    butNot rejected: String?,
    at now: Timestamp
  ) -> AccessToken? {
    func isUsable(_ token: AccessToken) -> Bool {
      token.deviceID == credential.deviceID && token.text != rejected
        && token.isFresh(at: now, for: need)
    }
    if let token = current.withLock(\.self), isUsable(token) { return token }
    guard let token = stored(), isUsable(token) else { return nil }
    current.withLock { $0 = token }
    return token
  }

  /// A file that cannot be read counts as missing: a new token can be requested.
  private func stored() -> AccessToken? {
    do {
      return try store.token(of: server)
    } catch {
      return nil
    }
  }

  /// Throws if a later version of this program wrote the file: each command would need a new token,
  /// and servers limit them.
  private func checkVersion() throws(OppiError) {
    do throws(FileError) {
      _ = try store.token(of: server)
    } catch {
      guard case .newerVersion = error else { return }
      throw error.explanation
    }
  }

  private func replaced(
    _ rejected: String?,
    for need: AccessToken.Need,
    over line: ServerLine
  ) async throws(OppiError) -> AccessToken {
    try checkVersion()
    let result: Result<AccessToken, OppiError>
    do throws(FileError) {
      result = try await store.withTurn(of: server, lockTimeout: line.timeLeft) {
        // Another process may have replaced the token meanwhile.
        if let token = known(for: need, butNot: rejected, at: line.loop.timestamp()) {
          return .success(token)
        }
        return await refreshed(over: line)
      }
    } catch .lockHeld {
      throw .transport(Task.isCancelled ? .cancelled : .timedOut(.answer), server: line.serverName)
    } catch {
      // Without a writable folder, the token is not shared.
      result = await refreshed(over: line)
    }
    let token = try result.get()
    current.withLock { $0 = token }
    return token
  }

  private func refreshed(over line: ServerLine) async -> Result<AccessToken, OppiError> {
    let refresh = AccessRefresh(credential: credential, server: server, store: store, line: line)
    do throws(OppiError) {
      let challenge = stored().flatMap { token in
        token.deviceID == credential.deviceID ? token.challenge(at: line.loop.timestamp()) : nil
      }
      let token = try await refresh.perform(using: challenge)
      await keep(token)
      return .success(token)
    } catch {
      return .failure(await settled(error, of: line.serverName))
    }
  }

  /// The reason to report for a refusal: a server that limits the requests of a device that it has
  /// refused for good still refuses it.
  private func settled(_ error: OppiError, of serverName: String) async -> OppiError {
    guard case .accessRefused(let refusal)? = error.reason, let deviceID = credential.deviceID
    else {
      return error
    }
    switch refusal {
    case .unknownDevice, .revoked:
      do { try await store.refuse(deviceID, of: server) } catch { await keep(nil) }
    case .rateLimited, .tooManyChallenges:
      guard store.isRefused(deviceID, of: server) else { break }
      return .accessRefused(.revoked, server: serverName)
    default: if refusal.isFinal { await keep(nil) }
    }
    return error
  }

  /// Shares a token; a failure costs other processes one request.
  private func keep(_ token: AccessToken?) async {
    do {
      try await store.store(token, of: server)
    } catch {
      return
    }
  }
}

enum DeviceKey {
  /// A new key that is not enrolled yet, and its public part.
  static func make() throws(OppiError) -> (DeviceCredential, DevicePublicKey) {
    do throws(CryptoError) {
      let key = try CryptoKey.generateP256(using: LibCrypto())
      guard let publicKey = key.p256 else { throw .failed }
      return (DeviceCredential(deviceID: nil, key: try key.privateDER()), publicKey)
    } catch {
      throw error.explanation
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
  static func publicKey(of device: DeviceCredential) throws(OppiError) -> DevicePublicKey {
    do throws(CryptoError) {
      guard case .key(let der) = device.signer,
        let publicKey = try CryptoKey.p256(privateDER: der, using: LibCrypto()).p256
      else { throw .failed }
      return publicKey
    } catch {
      throw error.explanation
    }
  }
}
