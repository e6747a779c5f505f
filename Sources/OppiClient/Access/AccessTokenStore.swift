// SPDX-License-Identifier: MIT

package import OppiSystem
import OppiText
import OppiTransport
package import OppiWire
import Synchronization

/// The short-lived tokens of all servers, in `access-tokens.json`, which all processes share.
///
/// Everything in it can be requested again.
package struct AccessTokenStore: Sendable {
  private struct Shared: ShapedRecord {
    var tokens = KeyedRecords<AccessToken>()
    /// What servers answered instead of a token.
    var standings = KeyedRecords<DeviceStanding>()

    static let shape = RecordShape(
      Shared(),
      [
        .defaulted("tokens", { $1(&$0.tokens) }, .record),
        .defaulted("standings", { $1(&$0.standings) }, .record),
      ]
    )

    func standing(of deviceID: String, on server: Fingerprint) -> DeviceStanding {
      guard let standing = standings[server.text], standing.deviceID == deviceID else {
        return DeviceStanding(of: deviceID)
      }
      return standing
    }
  }

  private let file: RecordFile<Shared>
  private let files: FileStore
  private let folder: String
  private let unshared: UnsharedTokens
  /// Told of each secret that is read or stored.
  private let learn: @Sendable (String) -> Void

  init(
    paths: XDGPaths,
    files: FileStore,
    unshared: UnsharedTokens = UnsharedTokens(),
    learn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.files = files
    self.unshared = unshared
    self.learn = learn
    folder = paths.state
    file = RecordFile(
      paths.accessTokensFile,
      in: files,
      privacy: .secret,
      .passing,
      isReplaceable: true
    )
  }

  private func load() throws(FileError) -> Shared {
    let shared = try file.load() ?? Shared()
    // Also those of other servers.
    for token in shared.tokens.records { learnSecrets(of: token) }
    return shared
  }

  private func learnSecrets(of token: AccessToken) {
    learn(token.text)
    if let challenge = token.challenge { learn(challenge.nonce) }
  }

  // MARK: - Tokens

  /// The stored token of a server; `nil` if there is none.
  ///
  /// - Throws: If the file cannot be read.
  func token(of server: Fingerprint) throws(FileError) -> AccessToken? {
    try load().tokens[server.text]
  }

  /// The stored token of a server; `nil` if there is none that can be used.
  func usableToken(of server: Fingerprint) -> AccessToken? {
    unshared.token(of: server) ?? usable().tokens[server.text]
  }

  private func usable() -> Shared {
    files.attempt { () throws(FileError) in try load() } ?? Shared()
  }

  /// Notes that a new token is not shared, so that each command requests its own.
  func noteUnshared(because error: FileError) {
    if case .cannotCreate(_, let cause) = error {
      files.faults.note(.cannotWrite(path: file.path, cause))
    } else {
      files.faults.note(error)
    }
  }

  /// Shares a token, or removes it if it is `nil`; a failure costs other processes one request.
  func keep(_ token: AccessToken?, of server: Fingerprint) async {
    let done: Void? = await files.attemptWaiting { () async throws(FileError) in
      try await store(token, of: server)
    }
    if done == nil { unshared.keep(token, of: server) }
  }

  /// Stores a token, with which all that the server answered instead of one is past; `nil` removes
  /// it.
  package func store(_ token: AccessToken?, of server: Fingerprint) async throws(FileError) {
    if let token { learnSecrets(of: token) }
    try await file.update { shared in
      shared.standings[server.text] = nil
      shared.tokens[server.text] = token
    }
    unshared.keep(nil, of: server)
  }

  /// Removes the challenge of the stored token before it is sent: a repeated one would be refused.
  ///
  /// Returns false if it may be sent again by another process, or was sent by this one.
  func takeChallenge(of server: Fingerprint) async -> Bool {
    let taken = unshared.update(of: server) { token in
      defer { token.challenge = nil }
      return token.challenge != nil
    }
    if let taken { return taken }
    let done: Void? = await files.attemptWaiting { () async throws(FileError) in
      try await file.update { $0.tokens[server.text]?.challenge = nil }
    }
    return done != nil
  }

  /// Keeps a challenge that was not used up with the token of its device; a failure costs a request.
  func keep(
    _ challenge: AccessToken.Challenge,
    of deviceID: String,
    on server: Fingerprint
  ) async {
    learn(challenge.nonce)
    func put(_ token: inout AccessToken) {
      if token.deviceID == deviceID { token.challenge = challenge }
    }
    guard unshared.update(of: server, put) == nil else { return }
    await files.attemptWaiting { () async throws(FileError) in
      try await file.update { shared in
        guard var token = shared.tokens[server.text] else { return }
        put(&token)
        shared.tokens[server.text] = token
      }
    }
  }

  // MARK: - Answers instead of tokens

  /// What a server last answered to a device instead of a token.
  ///
  /// A file that cannot be read has no answers.
  package func standing(of deviceID: String, on server: Fingerprint) -> DeviceStanding {
    usable().standing(of: deviceID, on: server)
  }

  /// Notes an answer to a device; without a writable file, the next answer counts as the first.
  ///
  /// The token of a device that was refused for good is removed.
  @discardableResult
  package func note<Result>(
    of deviceID: String,
    on server: Fingerprint,
    _ change: (inout DeviceStanding) -> Result
  ) async -> Result? {
    await files.attemptWaiting { () async throws(FileError) in
      try await file.update { shared in
        var standing = shared.standing(of: deviceID, on: server)
        let before = standing
        let result = change(&standing)
        if standing != before { shared.standings[server.text] = standing }
        if standing.refusal != nil, shared.tokens[server.text]?.deviceID == deviceID {
          shared.tokens[server.text] = nil
        }
        return result
      }
    }
  }

  // MARK: - Locks

  /// Runs the body while no other process replaces the token of the same server; the locks of other
  /// numbers are independent.
  ///
  /// The kernel releases the lock if its holder dies.
  func withLock<Result>(
    _ number: Int = 0,
    of server: Fingerprint,
    lockTimeout: Duration,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    let name = server.text.dropFirst(Fingerprint.prefix.count)
    let path = "\(folder)/access-\(name)" + (number == 0 ? "" : "-\(number)")
    return try await files.withLock(on: path, lockTimeout: lockTimeout, hasFile: false, body)
  }

  /// Like ``withLock(_:of:lockTimeout:_:)``, but a holder that is stopped blocks others for 2 s
  /// only: then the first of them continues, and the others wait for that one.
  ///
  /// For a body that may run in several processes at once.
  ///
  /// - Throws: `.lockHeld` after `lockTimeout`, or if the task is cancelled.
  func withTurn<Result>(
    of server: Fingerprint,
    lockTimeout: Duration,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    var rest = lockTimeout
    for number in 0..<Self.lastLock where rest > Self.holderLimit {
      do {
        return try await withLock(number, of: server, lockTimeout: Self.holderLimit, body)
      } catch .lockHeld where !Task.isCancelled {
        rest -= Self.holderLimit
      }
    }
    let number = rest == lockTimeout ? 0 : Self.lastLock
    return try await withLock(number, of: server, lockTimeout: rest, body)
  }

  private static let lastLock = 2
  /// How long a lock is respected; a token takes two round trips.
  private static let holderLimit = Duration.seconds(2)
}

/// The tokens of a program that could not be stored, one of each server: its clients share them.
final class UnsharedTokens: Sendable {
  private let tokens = Mutex<[Fingerprint: AccessToken]>([:])

  func token(of server: Fingerprint) -> AccessToken? { tokens.withLock { $0[server] } }

  /// Keeps a token in place of the last one; `nil` removes that one.
  func keep(_ token: AccessToken?, of server: Fingerprint) {
    tokens.withLock { $0[server] = token }
  }

  /// Changes a token; `nil` if there is none.
  func update<Result>(
    of server: Fingerprint,
    _ change: (inout AccessToken) -> Result
  ) -> Result? {
    tokens.withLock { tokens in
      guard var token = tokens[server] else { return nil }
      defer { tokens[server] = token }
      return change(&token)
    }
  }
}

extension Services {
  package var accessTokens: AccessTokenStore {
    AccessTokenStore(
      paths: paths,
      files: files,
      unshared: unsharedTokens,
      learn: network.secrets.learn
    )
  }
}
