// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// Conventions of a Unix program: usage errors, help, signals, pipes, damaged files.
@Suite(.fewAtOnce) struct ProgramTests {
  @Test("a usage error is one line with a suggestion, or JSON with --json")
  func usage() async throws {
    let home = try Home()
    let words = try await home.oppi("ask", "--modle", "x", "hi")
    #expect(words.status == 64)
    #expect(words.errors == "oppi: unknown option '--modle'\n  hint: did you mean '--model'?\n")
    let json = try await home.oppi("ask", "--json", "--modle", "x")
    #expect(json.status == 64 && json.output.isEmpty)
    let error = try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any]
    #expect((error?["error"] as? [String: Any])?["code"] as? String == "usage", "\(json)")
  }

  @Test("without a command the short help goes to standard error, and the status is 64")
  func bare() async throws {
    let home = try Home()
    let help = try await home.oppi("-h")
    for words in [[], ["-q"]] {
      let outcome = try await home.oppi(words)
      #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.hasPrefix(help.output), "\(outcome)")
    }
    let json = try await home.oppi("--json")
    #expect(json.status == 64 && json.errorLines.count == 1, "\(json)")
    #expect(json.errors.hasPrefix("{\"error\":"), "\(json)")
  }

  @Test(
    "a certificate that does not match the pin is 77, and no request is sent",
    .needs("openssl")
  )
  func pinMismatch() async throws {
    let server = try await Line.encrypted.start()
    let other = try await Line.encrypted.start()
    let home = try Home()
    _ = try await home.oppi("pair", "-", input: server.makeInvite().json)
    // The other server replaces the paired one and has its own certificate.
    let text = try String(contentsOf: home.servers, encoding: .utf8)
    try text.replacing("\(server.port)", with: "\(other.port)")
      .write(to: home.servers, atomically: false, encoding: .utf8)
    for words in [["ask", "-w", "x", "hi"], ["workspaces"], ["servers", "test"]] {
      let outcome = try await home.oppi(words, exits: 77)
      #expect(outcome.description.contains("does not match its pin"))
    }
    #expect(other.journal.connections == 3)
    #expect(other.journal.requests.isEmpty)
  }

  @Test("a damaged file is reported, left unchanged, and never replaced")
  func damagedFile() async throws {
    let (home, server) = try await Home.paired()
    try Data("{\"servers\": [".utf8).write(to: home.servers)
    for words in try [["workspaces"], ["pair", server.makeInvite().json]] {
      let outcome = try await home.oppi(words)
      #expect(
        outcome.status == 78 && outcome.errors.contains("servers.json is damaged"),
        "\(outcome)"
      )
    }
    #expect(try String(contentsOf: home.servers, encoding: .utf8) == "{\"servers\": [")
    // The second invite was not used for a pairing that could not be saved.
    #expect(server.journal.requests.count { $0.path == "/pair" } == 1)
  }

  @Test("an interrupt ends a waiting command with 130 and a close frame")
  func interrupt() async throws {
    let home = try Home()
    let marker = "\(home.folder.path)/sent"
    let server = try await Line.multiplexed.start { configuration in
      configuration.interceptor = { step in
        guard step.isMessage("prompt") else { return .proceed }
        _ = FileManager.default.createFile(atPath: marker, contents: nil)
        return .ignore
      }
    }
    _ = try await home.oppi("pair", "-", input: server.makeInvite().json)
    let outcome = try await home.shell(
      """
      set -m
      # Whoever starts the tests in the background has it ignored.
      env --default-signal=INT oppi ask --timeout 60 -w demo hi & pid=$!
      \(Home.until("[ -e \(marker) ]"))
      kill -INT $pid
      wait $pid
      """,
      shell: "/bin/bash"
    )
    #expect(outcome.status == 130, "\(outcome)")
    let journal = try await server.wait { $0.endedConnections == $0.connections }
    #expect(journal.closeCodes.allSatisfy { $0 == 1000 })
  }

  @Test(
    "a reader that does not read does not block a command's end",
    arguments: ["help json >&3", "workspaces 2>&3"]
  )
  func stuckPipe(line: String) async throws {
    let outcome = try await Home().shell(
      """
      mkfifo p; exec 3<>p
      head -c 65536 /dev/zero >&3
      timeout --preserve-status -k 10 0.5 oppi \(line)
      """,
      shell: "/bin/bash"
    )
    #expect(outcome.status == 143, "\(outcome)")
  }

  @Test("a file size limit does not suppress the session id")
  func fileSizeLimit() async throws {
    let (home, server) = try await Home.paired()
    let outcome = try await home.shell(
      "{ ulimit -f 0; oppi ask -q -w demo hello; echo $?; } 2>&1 | cat"
    )
    #expect(outcome.outputLines.last == "0", "\(outcome)")
    let id = try #require(server.journal.runs.first?.sessionID)
    #expect(outcome.outputLines.contains { $0 == id }, "\(outcome)")
  }

  @Test("arguments that are not UTF-8 are rejected, and nothing is sent")
  func words() async throws {
    let (home, server) = try await Home.paired()
    let outcome = try await home.shell(
      "oppi ask -w demo \"$(printf 'caf\\351')\"",
      shell: "/bin/bash"
    )
    #expect(outcome.status == 65 && outcome.errorLines.count == 1, "\(outcome)")
    #expect(server.journal.messages.isEmpty)
  }

  @Test("a closed pipe ends a command quietly")
  func brokenPipe() async throws {
    let home = try Home()
    let outcome = try await home.shell("oppi help --man | head -n 1; oppi help json >&- 2>&-")
    #expect(outcome.output == ".Dd November 21, 2026\n", "\(outcome)")
    #expect(outcome.errors.isEmpty)
  }
}
