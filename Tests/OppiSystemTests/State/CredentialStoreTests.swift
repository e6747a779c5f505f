// SPDX-License-Identifier: MIT

import Glibc
import OppiModel
import OppiTransport
import TestSupport
import Testing
import TransportTestSupport

@testable import OppiSystem

@Suite("CredentialStore")
struct CredentialStoreTests {
  private let scratch: Scratch
  private let server: PairedServer

  init() throws {
    scratch = try Scratch()
    server = try PairedServer.sample(1)
  }

  private var path: String { scratch.paths.credentialsFile }

  private func makeStore(credentials directory: String? = nil) -> CredentialStore {
    let environment = directory.map { ["CREDENTIALS_DIRECTORY": scratch.path($0)] } ?? [:]
    return CredentialStore(paths: scratch.paths, environment: environment)
  }

  private func token(from store: CredentialStore, tokenCommand: [String] = []) throws -> String {
    var server = server
    server.tokenCommand = tokenCommand
    return try onLoop { [server] in try await store.token(for: server, on: $0) }
  }

  // MARK: The credential file

  @Test("a stored token is found, by its owner alone")
  func stored() throws {
    let other = try PairedServer.sample(2)
    try makeStore().store("first", for: server.id)
    try makeStore().store("other", for: other.id)
    try makeStore().store("second", for: server.id)
    #expect(try token(from: makeStore()) == "second")
    #expect(scratch.mode(path) == 0o600)
    try makeStore().remove(server.id)
    #expect(throws: CredentialError.self) { try token(from: makeStore()) }
    let kept = try onLoop { [store = makeStore()] in try await store.token(for: other, on: $0) }
    #expect(kept == "other")
  }

  @Test("without a token there is nothing to remove and nothing is written")
  func nothing() throws {
    #expect(throws: CredentialError.missing) { try token(from: makeStore()) }
    try makeStore().remove(server.id)
    #expect(scratch.names().isEmpty)
  }

  @Test("a file that others can read is refused for reading, writing and checking")
  func readableByOthers() throws {
    try makeStore().store("secret", for: server.id)
    #expect(chmod(path, 0o644) == 0)
    let refused = FileError.unsafeMode(path: path, mode: 0o644, needed: "600")
    #expect(throws: CredentialError.file(refused)) { try token(from: makeStore()) }
    let store = makeStore()
    let actions: [() throws -> Void] = [
      { try store.store("x", for: server.id) }, { try store.remove(server.id) },
      { try store.checkWritable() },
    ]
    for action in actions { #expect(throws: refused, performing: action) }
    #expect(scratch.read(path)?.contains("secret") == true)
  }

  @Test("a damaged file is an error and stays as it is", arguments: ["{\"tokens\"", "[]"])
  func damaged(text: String) throws {
    try scratch.write(text, to: path)
    #expect { try token(from: makeStore()) } throws: { error in
      if case CredentialError.file = error { true } else { false }
    }
    #expect(throws: FileError.self) { try makeStore().store("x", for: server.id) }
    #expect(scratch.read(path) == text)
  }

  @Test("tokens that are no object throw and are not replaced")
  func damagedTokens() throws {
    try scratch.write("{\"tokens\": \"mine\"}", to: path)
    #expect(throws: CredentialError.missing) { try token(from: makeStore()) }
    #expect(throws: FileError.self) { try makeStore().store("x", for: server.id) }
    #expect(scratch.read(path) == "{\"tokens\": \"mine\"}")
  }

  @Test("what cannot be a token is refused and not told", arguments: ["", "two words", "a\u{7}"])
  func invalid(stored: String) throws {
    try makeStore().store(stored, for: server.id)
    #expect(throws: CredentialError.invalid(source: path)) { try token(from: makeStore()) }
  }

  // MARK: The order

  @Test(
    "a systemd credential comes first, by name before fingerprint, then the command, then the file"
  )
  func order() throws {
    let command = ["echo", "from-command"]
    let fingerprint = String(server.id.text.dropFirst("sha256:".count))
    try makeStore().store("from-file", for: server.id)
    #expect(try token(from: makeStore()) == "from-file")
    #expect(try token(from: makeStore(), tokenCommand: command) == "from-command")
    #expect(
      try token(from: makeStore(credentials: "none"), tokenCommand: command) == "from-command"
    )
    try scratch.write("by-fingerprint\n", to: "unit/oppi-\(fingerprint)", mode: 0o400)
    #expect(
      try token(from: makeStore(credentials: "unit"), tokenCommand: command) == "by-fingerprint"
    )
    try scratch.write("by-name\r\nsecond line", to: "unit/oppi-Server 1", mode: 0o400)
    #expect(try token(from: makeStore(credentials: "unit"), tokenCommand: command) == "by-name")
  }

  @Test("a systemd credential that is no token is an error and not passed over")
  func brokenCredential() throws {
    try makeStore().store("from-file", for: server.id)
    let store = makeStore(credentials: "unit")
    let credential = try scratch.write("\n", to: "unit/oppi-Server 1", mode: 0o400)
    #expect(throws: CredentialError.invalid(source: credential)) { try token(from: store) }
    try scratch.write("x", to: "unit/oppi-Server 1", mode: 0o666)
    let refused = FileError.unsafeMode(path: credential, mode: 0o666, needed: "go-w")
    #expect(throws: CredentialError.file(refused)) { try token(from: store) }
  }

  @Test("the name of a server never leads out of the folder of credentials")
  func nameWithSlash() throws {
    try scratch.write("stolen", to: "elsewhere")
    try scratch.makeFolder("unit/oppi-x")
    var server = server
    server.name = "x/../../elsewhere"
    let store = makeStore(credentials: "unit")
    #expect(throws: CredentialError.missing) {
      try onLoop { [server] in try await store.token(for: server, on: $0) }
    }
  }

  // MARK: The command

  @Test("the token is the first line of the command's output")
  func firstLine() throws {
    let command = ["sh", "-c", "printf 'tok\\r\\nmore\\n'"]
    #expect(try token(from: makeStore(), tokenCommand: command) == "tok")
  }

  @Test("a command that fails says so, and the file is not tried")
  func failingCommands() throws {
    try makeStore().store("from-file", for: server.id)
    for (command, error) in [
      (["sh", "-c", "echo tok; exit 3"], CredentialError.commandFailed(status: 3)),
      (["sh", "-c", "kill -TERM $$"], .commandFailed(status: 143)),
      (["/none/such"], .command(.cannotStart(SystemError("posix_spawn", code: ENOENT)))),
      (["cat", "/dev/zero"], .command(.tooMuchOutput)),
      (["true"], .invalid(source: "the output of true")),
    ] {
      #expect(throws: error) { try token(from: makeStore(), tokenCommand: command) }
    }
  }

  @Test("a command that does not end in time is given up")
  func slowCommand() throws {
    #expect(throws: CredentialError.command(.timedOut)) {
      try token(from: makeStore(), tokenCommand: ["sleep", "1000"])
    }
  }
}
