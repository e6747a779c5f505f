// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// The real program, over TLS, on a machine whose access the server has ended.
@Suite("A revoked device", .fewAtOnce, .needs("openssl"))
struct RevocationTests {
  private static let refusal = "studio has revoked this device"
  /// Longer than any time limit of a command, on a busy machine.
  private static let bound = Duration.seconds(30)

  /// A command that starts after the revocation; `SESSION` stands for the id of a session.
  private static let short = [
    "ask -w demo hello", "ask --wait -w demo hello", "ask -s SESSION hello", "models -w demo",
    "sessions", "show SESSION", "search hello", "follow SESSION", "follow", "stop SESSION",
    "stop --session SESSION", "stop --idle --yes", "approvals", "approvals show REQUEST",
    "approve REQUEST", "deny REQUEST", "answer SESSION 1 1", "servers test",
    "servers devices", "servers revoke --yes dev_x", "schedule list --all",
    "schedule run studio/nightly", "doctor", "pick sessions --gui never",
  ]

  @Test("ends each command with one message and status 77")
  func before() async throws {
    let (home, server) = try await Home.paired(over: .deviceKeys)
    let id = try await home.session(asking: "question")
    try home.write("#!/bin/sh\ncat >/dev/null; echo 0\n", to: "bin/rofi", isExecutable: true)
    server.revokeDevices()
    for line in Self.short {
      let begin = ContinuousClock.now
      let outcome = try await home.oppi(
        line.split(separator: " ").map { $0 == "SESSION" ? id : String($0) },
        environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin", "DISPLAY": ":9"]
      )
      #expect(outcome.status == 77, "\(line)\n\(outcome)")
      let texts = [outcome.output, outcome.errors]
      let counts = texts.map { $0.ranges(of: Self.refusal).count }
      #expect(counts.max() == 1, "\(line)\n\(outcome)")
      #expect(ContinuousClock.now - begin < Self.bound, "\(line)")
    }
    #expect(server.journal.runs.map(\.text) == ["question"])
  }

  @Test("has the last known workspaces, and a status that says why there is nothing newer")
  func cached() async throws {
    let (home, server) = try await Home.paired(over: .deviceKeys)
    _ = try await home.oppi("workspaces")
    server.revokeDevices()
    let workspaces = try await home.oppi("workspaces")
    #expect(workspaces.status == 77 && workspaces.outputLines.count == 2, "\(workspaces)")
    #expect(workspaces.errors.ranges(of: Self.refusal).count == 1, "\(workspaces)")
    let status = try await home.oppi("status")
    #expect(status.description.ranges(of: Self.refusal).count == 1, "\(status)")
    #expect(!status.output.contains("studio: studio"), "\(status)")
  }

  /// Commands that continue for other servers.
  @Test(
    "is reported once by services",
    arguments: ["watch --no-notifications", "approvals --watch"]
  )
  func service(line: String) async throws {
    let (home, server) = try await Home.paired(over: .deviceKeys)
    let id = try await home.session(asking: "question")
    async let running = home.shell(
      """
      mkdir -m 700 run; export XDG_RUNTIME_DIR=$PWD/run
      oppi \(line) >output 2>&1 & service=$!
      \(Home.until("grep -qs '\(id)\\|Answer' output run/oppi/status.json")); : >ready
      \(Home.until("grep -qs 'revoked this device' output"))
      : >told; \(Home.until("[ -e done ]"))
      kill -TERM $service; wait $service; status=$?
      cat output; exit $status
      """
    )
    try await home.wait(forFile: "ready")
    server.revokeDevices()
    try await home.wait(forFile: "told")
    #expect(try await home.oppi("sessions").status == 77)
    try home.write("", to: "done")
    let outcome = try await running
    #expect(outcome.status == 143, "\(outcome)")
    #expect(outcome.output.ranges(of: Self.refusal).count == 1, "\(outcome)")
    #expect(!outcome.output.contains("too many"), "\(outcome)")
  }
}

extension Home {
  fileprivate func wait(forFile name: String) async throws {
    while !FileManager.default.fileExists(atPath: folder.appending(path: name).path) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
