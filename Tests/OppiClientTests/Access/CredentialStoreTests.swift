// SPDX-License-Identifier: MIT

import Glibc
import OppiSystem
import OppiWire
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

@Suite("CredentialStore")
struct CredentialStoreTests {
  private let scratch: Scratch
  private let server: PairedServer
  private let files: FileStore

  init() throws {
    scratch = try Scratch()
    server = try PairedServer.sample(1)
    files = try .forTests()
  }

  private var path: String { scratch.paths.credentialsFile }

  private func makeStore() -> CredentialStore {
    CredentialStore(paths: scratch.paths, environment: [:], files: files)
  }

  private var noToken: OppiError { noToken(for: server.name) }

  private func noToken(for name: String) -> OppiError {
    .noToken("no token for \(name)", hints: ["pair again: oppi pair -"])
  }

  private func invalid(in source: String) -> OppiError {
    .invalidToken(of: server.name, in: source)
  }

  /// Loads the token on a loop.
  private func token(
    of server: PairedServer? = nil,
    credentials directory: String? = nil,
    tokenCommand: [String] = []
  ) throws -> String {
    let credential = try credential(of: server, credentials: directory, tokenCommand: tokenCommand)
    switch credential {
    case .external(let token), .token(let token): return token
    case .device: throw noToken
    }
  }

  /// Loads the credential on a loop.
  private func credential(
    of server: PairedServer? = nil,
    credentials directory: String? = nil,
    tokenCommand: [String] = []
  ) throws -> CredentialStore.Credential {
    var server = server ?? self.server
    server.tokenCommand = tokenCommand
    return try onLoop { [server, scratch = scratch.paths, folder = directory.map(scratch.path)] in
      let environment = folder.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:]
      let files = FileStore(loop: $0)
      return try await CredentialStore(paths: scratch, environment: environment, files: files)
        .credential(for: server)
    }
  }

  // MARK: The credential file

  @Test("a stored token is found, and its file has mode 600")
  func stored() async throws {
    let other = try PairedServer.sample(2)
    try await makeStore().store("first", for: server.id)
    try await makeStore().store("other", for: other.id)
    try await makeStore().store("second", for: server.id)
    #expect(try token() == "second")
    #expect(scratch.mode(path) == 0o600)
    try await makeStore().remove(server.id)
    #expect(throws: OppiError.self) { try token() }
    #expect(try token(of: other) == "other")
  }

  @Test("an enrolled device replaces the token; a key that is not enrolled yet does not")
  func devices() async throws {
    let store = makeStore()
    try await store.store("old", for: server.id)
    let pending = DeviceCredential(deviceID: nil, key: [1, 2, 3])
    try await store.store(pending, for: server.id)
    #expect(try credential() == .token("old"))
    #expect(try store.device(of: server.id) == pending)
    let enrolled = DeviceCredential(deviceID: "dev_1", key: [1, 2, 3])
    try await store.store(enrolled, for: server.id)
    #expect(try credential() == .device(enrolled))
    #expect(scratch.read(path)?.contains("old") == false)
    #expect(scratch.mode(path) == 0o600)
    try await store.store("new", for: server.id)
    #expect(try credential() == .token("new"))
    #expect(try store.device(of: server.id) == nil)
    try await store.store(enrolled, for: server.id)
    try await store.remove(server.id)
    #expect(try store.isStored(server.id) == false)
    #expect(throws: noToken) { try credential() }
  }

  @Test(
    "an unusable entry of a device is an error, not a missing credential",
    arguments: [#"{"deviceId":"dev_1"}"#, #"{"deviceId":"a b","privateKey":"AQID"}"#, "7"]
  )
  func badDevice(entry: String) throws {
    try scratch.write(#"{"devices":{"\#(server.id.text)":\#(entry)}}"#, to: path, mode: 0o600)
    #expect(throws: invalid(in: path)) { try credential() }
  }

  @Test("systemd can provide a device, which must be enrolled")
  func systemdDevice() throws {
    let path = scratch.path("unit/oppi-\(server.name)")
    try scratch.write(#"{"deviceId":"dev_1","privateKey":"AQID"}"#, to: path, mode: 0o600)
    let device = DeviceCredential(deviceID: "dev_1", key: [1, 2, 3])
    #expect(try credential(credentials: "unit") == .device(device))
    try scratch.write(#"{"privateKey":"AQID"}"#, to: path, mode: 0o600)
    #expect(throws: invalid(in: path)) { try credential(credentials: "unit") }
  }

  @Test("without a token, a removal writes nothing")
  func nothing() async throws {
    #expect(throws: noToken) { try token() }
    try await makeStore().remove(server.id)
    #expect(scratch.names().isEmpty)
  }

  @Test("a file that others can read is rejected for reading, writing and checking")
  func readableByOthers() async throws {
    try await makeStore().store("secret", for: server.id)
    #expect(chmod(path, 0o644) == 0)
    let refused = FileError.unsafeMode(path: path, mode: 0o644, needed: "600")
    #expect(throws: OppiError(refused)) { try token() }
    let store = makeStore()
    await #expect(throws: refused) { try await store.store("x", for: server.id) }
    await #expect(throws: refused) { try await store.remove(server.id) }
    #expect(throws: refused) { try store.checkWritable() }
    #expect(scratch.read(path)?.contains("secret") == true)
  }

  @Test("a damaged file is an error and is not changed", arguments: ["{\"tokens\"", "[]"])
  func damaged(text: String) async throws {
    try scratch.write(text, to: path)
    let error = #expect(throws: OppiError.self) { try token() }
    #expect(error?.code == .badConfiguration)
    await #expect(throws: FileError.self) { try await makeStore().store("x", for: server.id) }
    #expect(scratch.read(path) == text)
  }

  @Test("tokens that are not an object are an error and are not replaced")
  func damagedTokens() async throws {
    try scratch.write("{\"tokens\": \"mine\"}", to: path)
    #expect(throws: noToken) { try token() }
    await #expect(throws: FileError.self) { try await makeStore().store("x", for: server.id) }
    #expect(scratch.read(path) == "{\"tokens\": \"mine\"}")
  }

  @Test("an invalid token is rejected and not printed", arguments: ["", "two words", "a\u{7}"])
  func invalid(stored: String) async throws {
    try await makeStore().store(stored, for: server.id)
    #expect(throws: invalid(in: path)) { try token() }
  }

  // MARK: Precedence

  @Test("a systemd credential precedes the command, and the command precedes the file")
  func order() async throws {
    let command = ["echo", "from-command"]
    let fingerprint = String(server.id.text.dropFirst("sha256:".count))
    try await makeStore().store("from-file", for: server.id)
    #expect(try token() == "from-file")
    #expect(try token(tokenCommand: command) == "from-command")
    #expect(try token(credentials: "none", tokenCommand: command) == "from-command")
    try scratch.write("by-fingerprint\n", to: "unit/oppi-\(fingerprint)", mode: 0o400)
    #expect(try token(credentials: "unit", tokenCommand: command) == "by-fingerprint")
    try scratch.write("by-name\r\nsecond line", to: "unit/oppi-Server 1", mode: 0o400)
    #expect(try token(credentials: "unit", tokenCommand: command) == "by-name")
  }

  @Test("an invalid systemd credential is an error and not skipped")
  func brokenCredential() async throws {
    try await makeStore().store("from-file", for: server.id)
    let credential = try scratch.write("\n", to: "unit/oppi-Server 1", mode: 0o400)
    #expect(throws: invalid(in: credential)) { try token(credentials: "unit") }
    try scratch.write("x", to: "unit/oppi-Server 1", mode: 0o666)
    let refused = FileError.unsafeMode(path: credential, mode: 0o666, needed: "go-w")
    #expect(throws: OppiError(refused)) { try token(credentials: "unit") }
  }

  @Test("a server name cannot leave the folder of credentials")
  func nameWithSlash() throws {
    try scratch.write("stolen", to: "elsewhere")
    try scratch.makeFolder("unit/oppi-x")
    var server = server
    server.name = "x/../../elsewhere"
    #expect(throws: noToken(for: server.name)) {
      try token(of: server, credentials: "unit")
    }
  }

  // MARK: The command

  @Test("the token is the first line of the command's output")
  func firstLine() throws {
    let command = ["sh", "-c", "printf 'tok\\r\\nmore\\n'"]
    #expect(try token(tokenCommand: command) == "tok")
  }

  @Test("a command that leaves a background process returns its token")
  func lingeringAgent() throws {
    let pid = scratch.path("pid")
    let command = ["sh", "-c", "sleep 1000 & echo $! >\(pid); echo tok"]
    #expect(try token(tokenCommand: command) == "tok")
    let agent = try #require(scratch.read("pid").flatMap { pid_t($0.dropLast()) })
    #expect(kill(agent, SIGKILL) == 0)
  }

  @Test("a failing command is an error, and the file is not used")
  func failingCommands() async throws {
    try await makeStore().store("from-file", for: server.id)
    for (command, message) in [
      (
        ["sh", "-c", "echo tok; exit 3"], "the token command of \(server.name) exited with status 3"
      ),
      (
        ["sh", "-c", "kill -TERM $$"], "the token command of \(server.name) exited with status 143"
      ),
      (
        ["/none/such"],
        "cannot start the token command of \(server.name): no such file or directory"
      ),
      (["cat", "/dev/zero"], "the output of the token command of \(server.name) is too long"),
      (["true"], "invalid token for \(server.name) in the output of true"),
    ] {
      #expect(throws: OppiError.noToken(message)) { try token(tokenCommand: command) }
    }
  }

  @Test("a slow command times out")
  func slowCommand() throws {
    #expect(throws: OppiError.noToken("the token command of \(server.name) timed out after 2 s")) {
      try token(tokenCommand: ["sleep", "1000"])
    }
  }
}
