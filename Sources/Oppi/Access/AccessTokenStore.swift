// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The short-lived tokens of all servers, in `access-tokens.json`, which all processes share.
///
/// Everything in it can be requested again.
struct AccessTokenStore: Sendable {
  private struct Shared: ShapedRecord {
    var tokens = KeyedRecords<AccessToken>()
    /// The devices that servers have refused for good.
    var refused: [Fingerprint: String] = [:]
    /// When servers were asked for challenges that may be unused, oldest first.
    var challenges: [Fingerprint: [Timestamp]] = [:]

    static let shape = RecordShape(
      Shared(),
      [
        .defaulted("tokens", { $1(&$0.tokens) }, .record),
        .defaulted("refused", { $1(&$0.refused) }, .dictionary(by: .fingerprint, of: .text)),
        .defaulted(
          "challenges",
          { $1(&$0.challenges) },
          .dictionary(by: .fingerprint, of: .list(of: .milliseconds))
        ),
      ]
    )

    /// Removes the latest challenge and adds another, unless it is `nil`.
    mutating func replaceLatestChallenge(of server: Fingerprint, by moment: Timestamp?) {
      let earlier = challenges[server, default: []].suffix(fewMoments).dropLast()
      let moments = earlier + [moment].compactMap(\.self)
      challenges[server] = moments.isEmpty ? nil : Array(moments)
    }

    /// The challenges that may be valid at a time.
    func openChallenges(of server: Fingerprint, at now: Timestamp) -> [Timestamp] {
      let all = challenges[server, default: []].suffix(fewMoments)
      let oldest = now.moved(by: .zero - AccessRefusal.challengeLifetime)
      // The age of a moment in the future is not known: the clock was set back.
      return all.map { min($0, now) }.filter { oldest < $0 }
    }
  }

  private static let fewMoments = 32

  private let file: RecordFile<Shared>
  private let files: FileStore
  private let folder: String
  /// Told of each secret that is read or stored.
  private let learn: @Sendable (String) -> Void

  init(
    paths: XDGPaths,
    files: FileStore,
    learn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.files = files
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
  func usableToken(of server: Fingerprint) -> AccessToken? { usable().tokens[server.text] }

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
    await files.attemptWaiting { () async throws(FileError) in try await store(token, of: server) }
  }

  /// Stores a token, which has used up one challenge and may come with another; `nil` removes it.
  func store(_ token: AccessToken?, of server: Fingerprint) async throws(FileError) {
    if let token { learnSecrets(of: token) }
    try await file.update { shared in
      shared.refused[server] = nil
      shared.tokens[server.text] = token
      guard let token else { return }
      let moment = token.challenge == nil ? nil : token.issuedAt
      shared.replaceLatestChallenge(of: server, by: moment)
    }
  }

  /// Records that a server refuses a device for good, in place of its token.
  func refuse(_ deviceID: String, of server: Fingerprint) async throws(FileError) {
    try await file.update { shared in
      shared.tokens[server.text] = nil
      shared.refused[server] = deviceID
    }
  }

  /// Whether a server has refused a device, and not accepted it since.
  func isRefused(_ deviceID: String, of server: Fingerprint) -> Bool {
    usable().refused[server] == deviceID
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

  // MARK: - Challenges

  // The server counts the challenges that it has made, also those whose answers were lost. The
  // moments are therefore recorded before each request. The challenge that is used or refused next
  // is always the one that was recorded last. The record makes an error more precise: a method that
  // only changes the record returns false if that failed.

  /// The number of challenges that the server may have made and that may still be valid.
  func openChallenges(of server: Fingerprint, at now: Timestamp) -> Int {
    usable().openChallenges(of: server, at: now).count
  }

  /// Records that the server is asked for a challenge.
  func noteChallenge(of server: Fingerprint, at now: Timestamp) async -> Bool {
    await record { $0.challenges[server] = $0.openChallenges(of: server, at: now) + [now] }
  }

  /// Removes the challenge of the stored token before it is sent: a repeated one would be refused.
  ///
  /// The server may make another one in its answer.
  func takeChallenge(of server: Fingerprint, at now: Timestamp) async -> Bool {
    await record { shared in
      shared.tokens[server.text]?.challenge = nil
      shared.replaceLatestChallenge(of: server, by: now)
    }
  }

  /// Records that the server made no challenge, or does not accept the latest any more.
  @discardableResult
  func dropChallenge(of server: Fingerprint) async -> Bool {
    await record { $0.replaceLatestChallenge(of: server, by: nil) }
  }

  private func record(_ change: (inout Shared) -> Void) async -> Bool {
    let done: Void? = await files.attemptWaiting { () async throws(FileError) in
      try await file.update { change(&$0) }
    }
    return done != nil
  }
}
