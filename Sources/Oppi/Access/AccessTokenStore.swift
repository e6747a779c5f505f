// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The short-lived tokens of all servers, in `access-tokens.json`, which all processes share.
///
/// Everything in it can be requested again.
struct AccessTokenStore: Sendable {
  private let file: RecordFile<JSONObject>
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

  /// The stored token of a server; `nil` if there is none that can be used.
  ///
  /// - Throws: If other users can read the file.
  func token(of server: Fingerprint) throws(FileError) -> AccessToken? {
    AccessToken(json: try load()["tokens"][server.text])
  }

  /// Runs the body while no other process replaces the token of the same server.
  ///
  /// The kernel releases the lock if its holder dies.
  func withLock<Result>(
    of server: Fingerprint,
    lockTimeout: Duration,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await withLock(0, of: server, lockTimeout: lockTimeout, body)
  }

  /// Like ``withLock(of:lockTimeout:_:)``, but a holder that is stopped blocks others for 2 s only:
  /// then the first of them continues, and the others wait for that one.
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

  private func withLock<Result>(
    _ number: Int,
    of server: Fingerprint,
    lockTimeout: Duration,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    let name = server.text.dropFirst(Fingerprint.prefix.count)
    let path = "\(folder)/access-\(name)" + (number == 0 ? "" : "-\(number)")
    return try await files.withLock(on: path, lockTimeout: lockTimeout, hasFile: false, body)
  }

  private static let lastLock = 2
  /// How long a lock is respected; a token takes two round trips.
  private static let holderLimit = Duration.seconds(2)

  /// Stores a token, which has used up one challenge and may come with another; `nil` removes it.
  func store(_ token: AccessToken?, of server: Fingerprint) async throws(FileError) {
    if let token { learnSecrets(of: token) }
    try await file.update { members in
      if let refused = members["refused"] { members["refused"] = refused.with(server.text, nil) }
      members["tokens"] = (members["tokens"] ?? [:]).with(server.text, token?.json)
      guard let token else { return }
      noteChallenge(token.challenge == nil ? nil : token.issuedAt, of: server, in: &members)
    }
  }

  /// Records that a server refuses a device for good, in place of its token.
  func refuse(_ deviceID: String, of server: Fingerprint) async throws(FileError) {
    try await file.update { members in
      members["tokens"] = (members["tokens"] ?? [:]).with(server.text, nil)
      members["refused"] = (members["refused"] ?? [:]).with(server.text, .string(deviceID))
    }
  }

  /// Whether a server has refused a device, and not accepted it since.
  func isRefused(_ deviceID: String, of server: Fingerprint) -> Bool {
    ((try? load()) ?? [:])["refused"][server.text].string == deviceID
  }

  // MARK: - Challenges

  // The server counts the challenges that it has made, also those whose answers were lost. The
  // moments are therefore recorded before each request. The challenge that is used or refused next
  // is always the one that was recorded last.

  /// The number of challenges that the server may have made and that may still be valid.
  func openChallenges(of server: Fingerprint, at now: Timestamp) -> Int {
    moments(of: server, at: now, in: (try? load()) ?? [:]).count
  }

  /// Records that the server is asked for a challenge.
  func noteChallenge(of server: Fingerprint, at now: Timestamp) async throws(FileError) {
    try await file.update { members in
      let moments = moments(of: server, at: now, in: .object(members)) + [now]
      set(moments, of: server, in: &members)
    }
  }

  /// Removes the challenge of the stored token before it is sent: a repeated one would be refused.
  ///
  /// The server may make another one in its answer.
  func takeChallenge(of server: Fingerprint, at now: Timestamp) async throws(FileError) {
    try await file.update { members in
      let tokens = members["tokens"] ?? [:]
      if var token = AccessToken(json: tokens[server.text]) {
        token.challenge = nil
        members["tokens"] = tokens.with(server.text, token.json)
      }
      noteChallenge(now, of: server, in: &members)
    }
  }

  /// Records that the server made no challenge, or does not accept the latest any more.
  func dropChallenge(of server: Fingerprint) async throws(FileError) {
    try await file.update { members in noteChallenge(nil, of: server, in: &members) }
  }

  /// Removes the latest challenge and adds another, unless it is `nil`.
  private func noteChallenge(
    _ moment: Timestamp?,
    of server: Fingerprint,
    in members: inout JSONObject
  ) {
    let moments = moments(of: server, at: nil, in: .object(members)).dropLast()
    set(moments + (moment.map { [$0] } ?? []), of: server, in: &members)
  }

  private func set(_ moments: [Timestamp], of server: Fingerprint, in members: inout JSONObject) {
    members["challenges"] = (members["challenges"] ?? [:])
      .with(server.text, moments.isEmpty ? nil : .array(moments.map(\.json)))
  }

  /// The recorded moments, oldest first; with a time, those of challenges that may be valid then.
  private func moments(
    of server: Fingerprint,
    at now: Timestamp?,
    in json: JSONValue
  ) -> [Timestamp] {
    let all = (json["challenges"][server.text].array ?? []).suffix(Self.fewMoments)
      .compactMap { $0.int.map(Timestamp.init(milliseconds:)) }
    guard let now else { return all }
    let oldest = now.moved(by: .zero - AccessRefusal.challengeLifetime)
    // The age of a moment in the future is not known: the clock was set back.
    return all.map { min($0, now) }.filter { oldest < $0 }
  }

  private static let fewMoments = 32

  // MARK: - The file

  private func load() throws(FileError) -> JSONValue {
    let content = try file.load()?.json ?? [:]
    // Also those of other servers.
    for (_, json) in content["tokens"].object ?? [:] {
      if let token = AccessToken(json: json) { learnSecrets(of: token) }
    }
    return content
  }

  private func learnSecrets(of token: AccessToken) {
    learn(token.text)
    if let challenge = token.challenge { learn(challenge.nonce) }
  }
}

extension JSONValue {
  /// A copy of an object with another value of a member; `nil` removes it.
  fileprivate func with(_ name: String, _ value: JSONValue?) -> JSONValue {
    var members = object ?? [:]
    members[name] = value
    return .object(members)
  }
}

extension Timestamp {
  fileprivate var json: JSONValue { .integer(Int64(milliseconds)) }
}
