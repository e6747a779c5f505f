// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import OppiTransport
import Synchronization
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

  @Test("help and version go to standard output and succeed")
  func help() async throws {
    let home = try Home()
    for words in [
      ["--help"], ["-h"], ["ask", "--help"], ["help", "json"], ["--version"], ["help", "--man"],
    ] {
      let outcome = try await home.oppi(words)
      #expect(
        outcome.status == 0 && !outcome.output.isEmpty && outcome.errors.isEmpty,
        "\(outcome)"
      )
    }
  }

  @Test(
    "a certificate that does not match the pin is 77, and no request is sent",
    .needs("openssl")
  )
  func pinMismatch() async throws {
    let server = try await Line.multiplexedTLS.start()
    let other = try await Line.multiplexedTLS.start()
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

  @Test("an unreachable server is listed from the cache as stale, with its age")
  func staleList() async throws {
    let (home, server) = try await Home.paired()
    _ = try await home.oppi("workspaces")
    await server.stop()
    let outcome = try await home.oppi("workspaces", "--json", exits: 0)
    let workspaces = try #require(try outcome.json()["workspaces"] as? [[String: Any]])
    #expect(workspaces.count == 2 && workspaces.allSatisfy { $0["stale"] as? Bool == true })
    #expect(workspaces.allSatisfy { $0["ageSeconds"] is Int })
    let servers = try #require(try outcome.json()["servers"] as? [[String: Any]])
    #expect(servers[0]["state"] as? String == "stale")
    try FileManager.default.removeItem(at: home.cache)
    try await home.oppi("workspaces", exits: 69)
    let ask = try await home.oppi("ask", "-w", "demo", "hi")
    #expect(ask.status == 69 && ask.errors.contains("Can't reach studio"), "\(ask)")
  }

  @Test("pairing again renews the token, and a used invite is explained")
  func pairingAgain() async throws {
    let server = try await Line.multiplexedHTTP.start()
    let home = try Home()
    let invite = try server.makeInvite().url
    _ = try await home.oppi("pair", "-", input: invite)
    let spent = try await home.oppi("pair", "-", input: invite, exits: 77)
    #expect(spent.errors.contains("rejected the invite"))
    let renewed = try await home.oppi(
      "pair",
      "--name",
      "office",
      "--json",
      server.makeInvite().json
    )
    #expect(try renewed.json()["renewed"] as? Bool == true, "\(renewed)")
    let described = try #require(try renewed.json()["server"] as? [String: Any])
    #expect(described["default"] as? Bool == true, "\(renewed)")
    let shown = try await home.oppi("servers", "show", "office")
    #expect(shown.outputLines.contains("token\tstored"), "\(shown)")
    let list = try await home.oppi("servers")
    #expect(list.outputLines.count == 1 && list.output.hasPrefix("office\t"), "\(list)")
    try await home.oppi("servers", "rename", "office", "home", exits: 0)
    try await home.oppi("servers", "forget", "home", exits: 0)
    #expect(try await home.oppi("workspaces").status == 78)
    let credentials = try String(contentsOf: home.credentials, encoding: .utf8)
    #expect(!credentials.contains("dt_"))
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
    let server = try await Line.multiplexedHTTP.start { configuration in
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

  @Test("a closed pipe ends a command quietly")
  func brokenPipe() async throws {
    let home = try Home()
    let outcome = try await home.shell("oppi help --man | head -n 1; oppi help json >&- 2>&-")
    #expect(outcome.output == ".Dd November 21, 2026\n", "\(outcome)")
    #expect(outcome.errors.isEmpty)
  }

  @Test("a lost acknowledgement is resolved by a retry with the same id")
  func lostAcknowledgement() async throws {
    let (home, server) = try await Home.paired { configuration in
      let first = FirstTime()
      configuration.interceptor = { step in
        step.isMessage("prompt") && first.isNow() ? .performThenDrop : .proceed
      }
    }
    let outcome = try await home.oppi("ask", "-w", "demo", "--json", "once", exits: 0)
    #expect(Set(server.prompts.map { $0.json["clientTurnId"].string }).count == 1)
    let session = try outcome.json()["sessionId"] as? String
    #expect(server.prompts.allSatisfy { $0.sessionID == session })
  }
}

/// A flag that is true at the first call only, on any thread.
final class FirstTime: Sendable {
  private let isOver = Mutex(false)

  func isNow() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }
}
