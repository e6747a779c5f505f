// SPDX-License-Identifier: MIT

import EventLoop
package import OppiSystem
package import OppiText
import OppiTransport
package import OppiWire

package struct CredentialStore: Sendable {
  private static let commandLimit = Duration.seconds(2)

  private let file: RecordFile<JSONObject>
  private let files: FileStore
  private let directory: String?
  /// Told of each secret that is read or stored.
  private let learn: @Sendable (String) -> Void

  package init(
    paths: XDGPaths,
    environment: [String: String],
    files: FileStore,
    learn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.files = files
    self.learn = learn
    file = RecordFile(paths.credentialsFile, in: files, privacy: .secret)
    directory = environment["CREDENTIALS_DIRECTORY"]
  }

  /// What authorizes requests to a server.
  package enum Credential: Sendable, Equatable {
    /// A token from outside, which this program cannot replace.
    case external(token: String)
    /// A token that the server issued for good.
    case token(String)
    case device(DeviceCredential)
  }

  /// Returns the credential of a server: a systemd credential `oppi-NAME` (NAME may also be the
  /// fingerprint's 43 characters), else the first line of its `tokenCommand`, else the key or token
  /// in the credential file.
  ///
  /// `stored` is the content of the credential file if it was already read.
  ///
  /// - Throws: If there is none, or it cannot be used.
  package func credential(
    for server: PairedServer,
    among stored: Stored? = nil
  ) async throws(OppiError) -> Credential {
    if let credential = try systemdCredential(for: server) { return credential }
    if !server.tokenCommand.isEmpty {
      let token = try await outputOfTokenCommand(of: server)
      let source = "the output of \(server.tokenCommand[0])"
      return .external(token: try checked(token, of: server, in: source))
    }
    return try storedCredential(of: server, among: stored)
  }

  private func storedCredential(
    of server: PairedServer,
    among stored: Stored?
  ) throws(OppiError) -> Credential {
    let content = try (stored ?? self.stored()).get()
    if let entry = content["devices"]?[server.id.text], entry != .null {
      guard let device = DeviceCredential(json: entry, keyCommand: server.keyCommand) else {
        throw .invalidToken(of: server.name, in: file.path)
      }
      // A key that is not enrolled yet is kept for the migration of the token.
      if device.deviceID != nil { return .device(device) }
    }
    guard let token = content["tokens"]?[server.id.text].string else {
      throw .noToken("no token for \(server.name)", hints: ["pair again: oppi pair -"])
    }
    return .token(try checked(token, of: server, in: file.path))
  }

  /// The content of the credential file, read once for several servers.
  package typealias Stored = Result<JSONObject, OppiError>

  /// Reads the credential file; if that fails, each use of a stored credential throws the error.
  func stored() -> Stored {
    Result { () throws(OppiError) in try load() }
  }

  /// Throws if a credential could not be stored in the credential file.
  package func checkWritable() throws(FileError) { try file.checkWritable() }

  /// Whether the credential file contains a key or a token of a server.
  package func isStored(_ server: Fingerprint) throws(FileError) -> Bool {
    guard let content = try file.load() else { return false }
    return content["tokens"]?[server.text].string != nil
      || content["devices"]?[server.text].object != nil
  }

  /// The stored device of a server; `nil` if there is none.
  package func device(of server: Fingerprint) throws(FileError) -> DeviceCredential? {
    DeviceCredential(json: try file.load()?["devices"]?[server.text] ?? .null)
  }

  /// The device whose key is the credential of a server; `nil` if another credential is.
  func usedDevice(of server: PairedServer) -> DeviceCredential? {
    guard server.tokenCommand.isEmpty, (try? systemdCredential(for: server)) == nil else {
      return nil
    }
    return try? device(of: server.id)
  }

  /// Replaces the credential of a server by a token.
  package func store(_ token: String, for server: Fingerprint) async throws(FileError) {
    try await edit { tokens, devices in
      tokens[server.text] = .string(token)
      devices[server.text] = nil
    }
  }

  /// Replaces the credential of a server by a device; one that is not enrolled yet leaves the
  /// token.
  package func store(_ device: DeviceCredential, for server: Fingerprint) async throws(FileError) {
    try await edit { tokens, devices in
      if device.deviceID != nil { tokens[server.text] = nil }
      devices[server.text] = device.json
    }
  }

  package func remove(_ server: Fingerprint) async throws(FileError) {
    guard try file.load() != nil else { return }
    try await edit { tokens, devices in
      tokens[server.text] = nil
      devices[server.text] = nil
    }
  }

  private func edit(
    _ body: (_ tokens: inout JSONObject, _ devices: inout JSONObject) -> Void
  ) async throws(FileError) {
    try await file.update { members throws(FileError) in
      var tokens = try object("tokens", in: members)
      var devices = try object("devices", in: members)
      body(&tokens, &devices)
      members["tokens"] = .object(tokens)
      members["devices"] = devices.isEmpty ? nil : .object(devices)
    }
  }

  private func object(_ name: String, in members: JSONObject) throws(FileError) -> JSONObject {
    guard let object = (members[name] ?? [:]).object else {
      throw .unusable(path: file.path, reason: "\(name) is not an object")
    }
    return object
  }

  private func load() throws(OppiError) -> JSONObject {
    let content: JSONObject
    do {
      content = try file.load() ?? [:]
    } catch {
      throw error.explanation
    }
    // Also those of other servers.
    let tokens = (content["tokens"]?.object ?? [:]).map(\.value.string)
    let keys = (content["devices"]?.object ?? [:]).map { $0.value["privateKey"].string }
    for secret in (tokens + keys).compactMap(\.self) { learn(secret) }
    return content
  }

  private func checked(
    _ token: String,
    of server: PairedServer,
    in source: String
  ) throws(OppiError) -> String {
    guard BearerToken.isValid(token) else { throw .invalidToken(of: server.name, in: source) }
    learn(token)
    return token
  }

  /// A credential that systemd provides: a token, or the object of a device.
  private func systemdCredential(for server: PairedServer) throws(OppiError) -> Credential? {
    guard let directory else { return nil }
    for name in [server.name, String(server.id.text.dropFirst(Fingerprint.prefix.count))]
    where !name.contains("/") {
      let path = "\(directory)/oppi-\(name)"
      let bytes: [UInt8]?
      do {
        bytes = try files.read(path)
      } catch {
        throw error.explanation
      }
      guard let bytes else { continue }
      guard bytes.first == UInt8(ascii: "{") else {
        let token = try checked(Self.firstLine(of: bytes), of: server, in: path)
        return .external(token: token)
      }
      guard let json = try? JSONValue(parsing: bytes),
        let device = DeviceCredential(json: json, keyCommand: server.keyCommand),
        device.deviceID != nil
      else { throw .invalidToken(of: server.name, in: path) }
      return .device(device)
    }
    return nil
  }

  private func outputOfTokenCommand(of server: PairedServer) async throws(OppiError) -> String {
    let outcome: ChildProcess.Outcome
    let subject = "the token command of \(server.name)"
    do {
      outcome = try await ChildProcess(arguments: server.tokenCommand)
        .run(on: files.loop, until: files.loop.now + Self.commandLimit)
    } catch {
      switch error {
      case .timedOut: throw .noToken("\(subject) timed out after 2 s")
      case .cannotStart(let cause): throw .noToken("cannot start \(subject): \(cause)")
      case .tooMuchOutput: throw .noToken("the output of \(subject) is too long")
      case .cancelled: throw OppiError(.interrupted, "interrupted").because(.cancelled)
      }
    }
    guard outcome.status == 0 else {
      throw .noToken("\(subject) exited with status \(outcome.status)")
    }
    return Self.firstLine(of: outcome.output)
  }

  private static func firstLine(of bytes: [UInt8]) -> String {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return String(decoding: line, as: UTF8.self)
  }
}

extension Services {
  package var credentials: CredentialStore {
    CredentialStore(
      paths: paths,
      environment: environment,
      files: files,
      learn: network.secrets.learn
    )
  }
}
