// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel

package enum CredentialError: Error, Equatable {
  case missing
  case file(FileError)
  case command(ChildProcess.Failure)
  case commandFailed(status: Int32)
  case invalid(source: String)
}

package struct CredentialStore: Sendable {
  static let commandLimit = Duration.seconds(2)

  private let file: JSONFile
  private let files: FileStore
  private let directory: String?

  package init(paths: XDGPaths, environment: [String: String], files: FileStore) {
    self.files = files
    file = JSONFile(path: paths.credentialsFile, in: files, privacy: .secret)
    directory = environment["CREDENTIALS_DIRECTORY"]
  }

  /// Returns the token of a server: a systemd credential `oppi-NAME` (NAME may also be the
  /// fingerprint's 43 characters), else the first line of its `tokenCommand`, else the token in the
  /// credential file.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - stored: The content of the credential file if it was already read.
  /// - Returns: The token.
  /// - Throws: `CredentialError` if there is no token or it cannot be used.
  package func token(
    for server: PairedServer,
    among stored: StoredTokens? = nil
  ) async throws(CredentialError) -> String {
    if let (token, path) = try systemdCredential(for: server) {
      return try checked(token, source: path)
    }
    if !server.tokenCommand.isEmpty {
      let token = try await outputLine(of: server.tokenCommand)
      return try checked(token, source: "the output of \(server.tokenCommand[0])")
    }
    let tokens = try (stored ?? storedTokens()).result.get()
    guard let token = tokens[server.id.text]?.string else { throw .missing }
    return try checked(token, source: file.path)
  }

  /// The content of the credential file, read once for several servers.
  package struct StoredTokens: Sendable {
    fileprivate let result: Result<JSONObject, CredentialError>
  }

  /// Reads the credential file; if that fails, each use of a stored token throws the error.
  package func storedTokens() -> StoredTokens {
    StoredTokens(
      result: Result { () throws(CredentialError) in try load()["tokens"]?.object ?? [:] }
    )
  }

  /// Throws if a token could not be stored in the credential file.
  package func checkWritable() throws(FileError) {
    try file.checkWritable()
  }

  /// Whether the credential file contains a token of a server.
  package func isStored(_ server: Fingerprint) throws(FileError) -> Bool {
    try file.load()?["tokens"][server.text].string != nil
  }

  package func store(_ token: String, for server: Fingerprint) async throws(FileError) {
    try await edit { $0[server.text] = .string(token) }
  }

  package func remove(_ server: Fingerprint) async throws(FileError) {
    guard try file.load() != nil else { return }
    try await edit { $0[server.text] = nil }
  }

  private func edit(_ body: (inout JSONObject) -> Void) async throws(FileError) {
    try await file.update { members throws(FileError) in
      guard var tokens = (members["tokens"] ?? [:]).object else {
        throw .unusable(path: file.path, reason: "tokens is not an object")
      }
      body(&tokens)
      members["tokens"] = .object(tokens)
    }
  }

  private func load() throws(CredentialError) -> JSONObject {
    do {
      return try file.load()?.object ?? [:]
    } catch {
      throw .file(error)
    }
  }

  private func checked(_ token: String, source: String) throws(CredentialError) -> String {
    guard BearerToken.isValid(token) else { throw .invalid(source: source) }
    return token
  }

  private func systemdCredential(
    for server: PairedServer
  ) throws(CredentialError) -> (token: String, path: String)? {
    guard let directory else { return nil }
    for name in [server.name, String(server.id.text.dropFirst(Fingerprint.prefix.count))]
    where !name.contains("/") {
      let path = "\(directory)/oppi-\(name)"
      do {
        if let bytes = try files.read(path) { return (Self.firstLine(of: bytes), path) }
      } catch {
        throw .file(error)
      }
    }
    return nil
  }

  private func outputLine(
    of command: [String]
  ) async throws(CredentialError) -> String {
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await ChildProcess(arguments: command)
        .run(on: files.loop, until: files.loop.now + Self.commandLimit)
    } catch {
      throw .command(error)
    }
    guard outcome.status == 0 else { throw .commandFailed(status: outcome.status) }
    return Self.firstLine(of: outcome.output)
  }

  private static func firstLine(of bytes: [UInt8]) -> String {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return String(decoding: line, as: UTF8.self)
  }
}
