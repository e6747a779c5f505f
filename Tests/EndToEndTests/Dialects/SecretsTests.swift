// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import HTTPCodec
import OppiText
import Synchronization
import TestSupport
import Testing

/// What a device proves itself with, and where it may be.
@Suite("Secrets of a device", .fewAtOnce, .needs("openssl"))
struct SecretsTests {
  /// Collects what clients send and what the server can issue.
  private final class Secrets: Sendable {
    private let found = Mutex<Set<String>>([])

    var all: Set<String> { found.withLock(\.self) }

    @Sendable func collect(_ step: Step) -> Intervention {
      guard case .request(let request, _) = step else { return .proceed }
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      let members = ["pairingToken", "nonce", "signature"].compactMap { body[$0].string }
      let bearer = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
      found.withLock { $0.formUnion(members + [bearer].compactMap(\.self)) }
      return .proceed
    }
  }

  /// All commands but those that ask or wait.
  private static let lines = [
    "workspaces", "models -w demo", "ask -w demo hello", "ask --wait -s last two tools",
    "sessions", "status", "show last", "show last --markdown", "search two", "history",
    "follow last", "stop last",
    "approvals", "outbox flush", "schedule list --all", "servers list", "servers show studio",
    "servers test", "servers devices", "doctor", "pick workspaces --gui never", "config show",
    "servers revoke --yes studio", "help files",
  ]

  @Test("are in no output, argument, environment or readable file")
  func everywhere() async throws {
    let secrets = Secrets()
    let (home, server) = try await Home.paired(over: .deviceKeys) { configuration in
      configuration.interceptor = secrets.collect
      configuration.limits.refreshesPerMinute = 1000
    }
    // Programs that oppi starts record what they and all of the user's processes can be seen with.
    let spy = """
      #!/bin/sh
      { env; for process in /proc/[0-9]*; do
        tr '\\0' '\\n' <$process/cmdline
        grep -qs "^HOME=$HOME$" -z $process/environ && tr '\\0' '\\n' <$process/environ
      done; } >>"$HOME/spied" 2>/dev/null
      if [ -n "$(cat)" ]; then echo 0; else echo hello; fi
      """
    try home.write(spy, to: "bin/rofi", isExecutable: true)
    var texts: [String] = []
    for line in Self.lines {
      for extra in [["--json"], ["--verbose"]] {
        server.expireTokens()
        let outcome = try await home.oppi(
          line.split(separator: " ").map(String.init) + extra,
          environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin", "DISPLAY": ":9"]
        )
        texts.append(outcome.description)
      }
    }
    let files = ["credentials.json", "access-tokens.json"]
    let stored = try files.map { try home.state($0) }
    let known = secrets.all.union(stored.flatMap(Self.secrets))
    #expect(known.count > 40, "\(known.count)")
    texts.append(try home.textOfFiles(except: files))
    #expect(texts.last?.contains("HOME=\(home.folder.path)") == true)
    for text in texts {
      for secret in known where text.contains(secret) { Issue.record("\(secret) in \(text)") }
    }
    try home.expectPrivateFiles()
  }

  /// The long texts in a file of secrets, without the ids of servers and devices.
  private static func secrets(in text: String) -> [String] {
    text.matches(of: #/"([A-Za-z0-9_+\/=-]{20,})"/#).map { String($0.output.1) }
      .filter { !$0.hasPrefix("sha256:") && !$0.hasPrefix("dev_") }
  }
}

extension Home {
  fileprivate func state(_ name: String) throws -> String {
    let url = folder.appending(path: ".local/state/oppi/\(name)")
    return try String(contentsOf: url, encoding: .utf8)
  }

  fileprivate func textOfFiles(except names: [String]) throws -> String {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return paths.filter { path in !names.contains { path.hasSuffix("/\($0)") } }
      .compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
      .joined(separator: "\n")
  }

  /// Expects that only the user can read the files of state, and its folders.
  fileprivate func expectPrivateFiles() throws {
    let state = folder.appending(path: ".local/state/oppi")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: state.path)
    for path in [""] + paths {
      let file = state.appending(path: path).path
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0, "\(path)")
    }
  }
}
