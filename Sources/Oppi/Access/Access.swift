// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport
import Synchronization

/// What authorizes the requests of a client: one implementation per kind of credential.
protocol Access: Sendable {
  /// Returns a token that is fresh enough for the need; `nil` for requests without authorization.
  ///
  /// A token that must be requested first is requested over `line`, whose connection the request
  /// then uses too.
  func token(for need: AccessToken.Need, over line: ServerLine) async throws(OppiError) -> String?

  /// Returns another token in place of one that the server rejected; `nil` if there is none.
  func replacement(of rejected: String, over line: ServerLine) async throws(OppiError) -> String?
}

/// A token that cannot be replaced, or none.
struct FixedAccess: Access {
  let token: String?

  func token(for need: AccessToken.Need, over line: ServerLine) -> String? { token }

  func replacement(of rejected: String, over line: ServerLine) -> String? { nil }
}

/// Access by a token that a server issued for good, and that a newer server may accept only to
/// enrol a device key in its place.
final class StoredTokenAccess: Access {
  private let token: String
  private let server: Fingerprint
  private let credentials: CredentialStore
  private let tokens: AccessTokenStore
  /// The access that replaced the token.
  private let device = Mutex<DeviceAccess?>(nil)

  init(
    _ token: String,
    of server: Fingerprint,
    credentials: CredentialStore,
    tokens: AccessTokenStore
  ) {
    (self.token, self.server) = (token, server)
    (self.credentials, self.tokens) = (credentials, tokens)
  }

  func token(
    for need: AccessToken.Need,
    over line: ServerLine
  ) async throws(OppiError) -> String? {
    guard let device = device.withLock(\.self) else { return token }
    return try await device.token(for: need, over: line)
  }

  func replacement(
    of rejected: String,
    over line: ServerLine
  ) async throws(OppiError) -> String? {
    if let device = device.withLock(\.self) {
      return try await device.replacement(of: rejected, over: line)
    }
    let result: Result<DeviceCredential?, OppiError>
    do throws(FileError) {
      result = try await tokens.withLock(of: server, lockTimeout: line.timeLeft) {
        await migrated(over: line)
      }
    } catch {
      throw .file(error)
    }
    guard let credential = try result.get() else { return nil }
    let access = DeviceAccess(credential, of: server, in: tokens)
    device.withLock { $0 = access }
    return try await access.token(for: .command, over: line)
  }

  /// The device that another process enrolled meanwhile, or a new one; `nil` if the server does not
  /// offer it.
  ///
  /// The key is stored first, because the request may be repeated only with the same key.
  private func migrated(over line: ServerLine) async -> Result<DeviceCredential?, OppiError> {
    do throws(OppiError) {
      var (device, publicKey) = try await pendingDevice()
      if device.deviceID != nil { return .success(device) }
      let answer = try await line.post(
        "/auth/migrate",
        .object(["devicePublicKey": publicKey.json, "deviceName": .string(MachineName.current)]),
        headers: HTTPHeaders([("Authorization", "Bearer \(token)")])
      )
      guard answer.isSuccess, let grant = AccessGrant(json: answer.json),
        let deviceID = grant.deviceID
      else {
        return .success(nil)
      }
      device.deviceID = deviceID
      do throws(FileError) {
        try await credentials.store(device, for: server)
        let now = line.loop.timestamp()
        let token = grant.token(of: deviceID, receivedAt: now, serverTime: answer.serverTime)
        try await tokens.store(token, of: server)
      } catch {
        throw .file(error)
      }
      return .success(device)
    } catch  where error.reason == .noCrypto {
      // Without OpenSSL, no key can be enrolled, and the refused token is the reason to report.
      return .success(nil)
    } catch {
      return .failure(error)
    }
  }

  private func pendingDevice() async throws(OppiError) -> (DeviceCredential, DevicePublicKey) {
    let stored: DeviceCredential?
    do {
      stored = try credentials.device(of: server)
    } catch {
      throw .file(error)
    }
    if let stored { return (stored, try DeviceKey.publicKey(of: stored)) }
    let (device, publicKey) = try DeviceKey.make()
    do {
      try await credentials.store(device, for: server)
    } catch {
      throw .file(error)
    }
    return (device, publicKey)
  }
}
