// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiSystem
import OppiTerminal
import OppiText
import OppiTransport
package import OppiWire
import Synchronization

/// What authorizes the requests of a client.
package protocol Access: Sendable {
  /// Returns a token that is fresh enough for the need; `nil` for requests without authorization.
  ///
  /// A token that must be requested first is requested over `line`, whose connection the request
  /// then uses too.
  func token(for need: AccessToken.Need, over line: ServerLine) async throws(OppiError) -> String?

  /// Returns another token in place of one that the server rejected; `nil` if there is none.
  func replacement(of rejected: String, over line: ServerLine) async throws(OppiError) -> String?

  /// Notes that the server closed a stream because it has revoked the device.
  func noteRevocation(_ words: String) async
}

/// A token that cannot be replaced.
package struct FixedAccess: Access {
  package let token: String

  package init(token: String) {
    self.token = token
  }

  package func token(for need: AccessToken.Need, over line: ServerLine) -> String? { token }

  package func replacement(of rejected: String, over line: ServerLine) -> String? { nil }

  package func noteRevocation(_ words: String) {}
}

/// Access to a paired server by the credential of this machine.
///
/// A device key gets short-lived tokens that all processes of the user share: a token is replaced
/// under a lock, and read again under it, so that processes that start together request one token.
/// A token that an older server issued for good may be accepted by a newer one only to enrol a
/// device key in its place.
final class ServerAccess: Access {
  private let server: Fingerprint
  private let credentials: CredentialStore
  private let tokens: AccessTokenStore
  /// Whether the server is asked although it has refused the device.
  private let asksAgain: Bool
  private let state: Mutex<State>

  private struct State {
    var credential: CredentialStore.Credential
    /// As last read or received, which saves reading the file for each request.
    var token: AccessToken?
  }

  init(
    to server: Fingerprint,
    by credential: CredentialStore.Credential,
    credentials: CredentialStore,
    tokens: AccessTokenStore,
    asksAgain: Bool = false
  ) {
    (self.server, self.credentials, self.tokens) = (server, credentials, tokens)
    self.asksAgain = asksAgain
    state = Mutex(State(credential: credential))
  }

  func token(
    for need: AccessToken.Need,
    over line: ServerLine
  ) async throws(OppiError) -> String? {
    switch state.withLock({ $0.credential }) {
    case .external(let token), .token(let token): return token
    case .device(let device): return try await token(of: device, for: need, over: line)
    }
  }

  func replacement(
    of rejected: String,
    over line: ServerLine
  ) async throws(OppiError) -> String? {
    switch state.withLock({ $0.credential }) {
    case .external: return nil
    case .token(let token):
      guard let device = try await enrolled(for: token, over: line) else { return nil }
      state.withLock { $0.credential = .device(device) }
      return try await self.token(of: device, for: .command, over: line)
    case .device(let device):
      return try await token(of: device, for: .command, butNot: rejected, over: line)
    }
  }

  func noteRevocation(_ words: String) async {
    guard case .device(let device) = state.withLock({ $0.credential }),
      let deviceID = device.deviceID
    else { return }
    await tokens.note(of: deviceID, on: server) { $0.refuse(.revoked, words) }
  }

  // MARK: - The token of a device

  private func token(
    of device: DeviceCredential,
    for need: AccessToken.Need,
    butNot rejected: String? = nil,
    over line: ServerLine
  ) async throws(OppiError) -> String {
    if let token = known(of: device, for: need, butNot: rejected, at: line.loop.timestamp()) {
      return token.text
    }
    try checkVersion()
    let result: Result<AccessToken, OppiError>
    do throws(FileError) {
      result = try await tokens.withTurn(of: server, lockTimeout: line.timeLeft) {
        // Another process may have replaced the token meanwhile.
        if let token = known(of: device, for: need, butNot: rejected, at: line.loop.timestamp()) {
          return .success(token)
        }
        return await refreshed(device, over: line)
      }
    } catch .lockHeld {
      throw .transport(Task.isCancelled ? .cancelled : .timedOut(.answer), server: line.serverName)
    } catch {
      tokens.noteUnshared(because: error)
      result = await refreshed(device, over: line)
    }
    let token = try result.get()
    state.withLock { $0.token = token }
    return token.text
  }

  /// The token in memory or in the file, if it can be used.
  private func known(
    of device: DeviceCredential,
    for need: AccessToken.Need,
    butNot rejected: String?,
    at now: Timestamp
  ) -> AccessToken? {
    func isUsable(_ token: AccessToken) -> Bool {
      token.deviceID == device.deviceID && token.text != rejected
        && token.isFresh(at: now, for: need)
    }
    if let token = state.withLock({ $0.token }), isUsable(token) { return token }
    guard let token = stored(), isUsable(token) else { return nil }
    state.withLock { $0.token = token }
    return token
  }

  private func stored() -> AccessToken? { tokens.usableToken(of: server) }

  /// Throws if a later version of this program wrote the file: each command would need a new token,
  /// and servers limit them.
  private func checkVersion() throws(OppiError) {
    do throws(FileError) {
      _ = try tokens.token(of: server)
    } catch {
      if case .newerVersion = error { throw error.explanation }
    }
  }

  private func refreshed(
    _ device: DeviceCredential,
    over line: ServerLine
  ) async -> Result<AccessToken, OppiError> {
    let refresh = AccessRefresh(credential: device, server: server, store: tokens, line: line)
    do throws(OppiError) {
      if let obstacle = obstacle(to: device, over: line) { throw obstacle }
      let last = stored().flatMap { $0.deviceID == device.deviceID ? $0 : nil }
      let token = try await refresh.perform(after: last)
      await keep(token)
      return .success(token)
    } catch {
      if error.reason == .accessRefused(.notOffered) { await keep(nil) }
      if error.mayHaveArrived, let deviceID = device.deviceID {
        // The server may have made a challenge.
        await tokens.note(of: deviceID, on: server) { $0.clearDoubt() }
      }
      // A server that limits the requests of a device that it has refused still refuses it.
      guard error.reason == .accessRefused(.rateLimited) else { return .failure(error) }
      return .failure(standing(of: device)?.error(server: line.serverName) ?? error)
    }
  }

  /// Why the server need not be asked: it has refused the device until it is paired again, or limits
  /// the requests for now.
  private func obstacle(to device: DeviceCredential, over line: ServerLine) -> OppiError? {
    guard let standing = standing(of: device) else { return nil }
    let pause = standing.pause(at: line.loop.machineTime())
    if !asksAgain || pause != nil, let error = standing.error(server: line.serverName) {
      return error
    }
    guard let pause else { return nil }
    var error = OppiError.accessRefused(
      pause.refusal,
      server: line.serverName,
      words: standing.words
    )
    error.hints = ["retry in \(ElapsedTime.text(pause.time))"]
    return error
  }

  private func standing(of device: DeviceCredential) -> DeviceStanding? {
    device.deviceID.map { tokens.standing(of: $0, on: server) }
  }

  private func keep(_ token: AccessToken?) async { await tokens.keep(token, of: server) }

  // MARK: - A device in place of a token

  /// The device that another process enrolled meanwhile, or a new one; `nil` if the server does not
  /// offer it.
  private func enrolled(
    for token: String,
    over line: ServerLine
  ) async throws(OppiError) -> DeviceCredential? {
    let result: Result<DeviceCredential?, any Error>
    do throws(FileError) {
      result = try await tokens.withLock(of: server, lockTimeout: line.timeLeft) {
        await Result(catching: { try await migrated(token, over: line) })
      }
    } catch {
      throw .file(error)
    }
    do {
      return try result.get()
    } catch CryptoError.unavailable {
      // Without OpenSSL, no key can be enrolled, and the refused token is the reason to report.
      return nil
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw OppiError(error)
    }
  }

  /// The key is stored first, because the request may be repeated only with the same key.
  private func migrated(_ token: String, over line: ServerLine) async throws -> DeviceCredential? {
    var (device, publicKey) = try await pendingDevice()
    if device.deviceID != nil { return device }
    let answer = try await line.post(
      "/auth/migrate",
      .object(["devicePublicKey": publicKey.json, "deviceName": .string(MachineName.current)]),
      headers: HTTPHeaders([("Authorization", "Bearer \(token)")])
    )
    guard answer.isSuccess, let token = answer.token() else { return nil }
    device.deviceID = token.deviceID
    try await credentials.store(device, for: server)
    try await tokens.store(token, of: server)
    return device
  }

  private func pendingDevice() async throws -> (DeviceCredential, DevicePublicKey) {
    if let stored = try credentials.device(of: server) {
      return (stored, try DeviceKey.publicKey(of: stored))
    }
    let (device, publicKey) = try DeviceKey.make()
    try await credentials.store(device, for: server)
    return (device, publicKey)
  }
}
