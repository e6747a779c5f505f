// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `oppi doctor`, which runs itself again in the environment of another trigger.
@Suite(.fewAtOnce) struct DoctorEndToEndTests {
  /// The messages of a check, each with its hints.
  private func findings(
    _ outcome: Outcome,
    of check: String
  ) throws -> [(message: String, hints: [String])] {
    let findings = try #require(try outcome.json()["findings"] as? [[String: Any]])
    return findings.filter { $0["check"] as? String == check }.map { finding in
      (finding["message"] as? String ?? "", finding["hints"] as? [String] ?? [])
    }
  }

  @Test("doctor --as cron reports each fault of a broken setup with its fix")
  func cron() async throws {
    let (home, server) = try await Home.paired()
    let path = Executable.oppi
    // A crontab with two faults, a variable that cron lacks, and a file that others can read.
    _ = try home.write("*/5 * * * * oppi run standup --var rest=5%\n", to: "crontab")
    _ = try home.write(
      "#!/bin/sh\ncat \"$HOME/crontab\"\n",
      to: "bin/crontab",
      isExecutable: true
    )
    let credentials = home.credentials.path
    try #require(chmod(credentials, 0o644) == 0)
    let outcome = try await home.oppi(
      "doctor",
      "--as",
      "cron",
      "--json",
      environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin", "OPPI_WORKSPACE": "hunter2"]
    )
    #expect(outcome.status == 78, "\(outcome)")
    let crontab = try findings(outcome, of: "crontab")
    #expect(crontab.count == 3, "\(outcome)")
    #expect(crontab.first?.hints.first?.contains("write \\%") == true, "\(crontab)")
    #expect(crontab.count > 1 && crontab[1].hints == ["use the path \(path)"], "\(crontab)")
    let environment = try findings(outcome, of: "environment")
    #expect(environment.map(\.message) == ["OPPI_WORKSPACE is set here, but not under cron"])
    #expect(!"\(outcome)".contains("hunter2"), "values are not printed")
    #expect(environment.first?.hints.first?.contains("crontab -e") == true)
    let files = try findings(outcome, of: "files")
    #expect(files.first?.hints == ["run: chmod 600 '\(credentials)'"], "\(files)")
    #expect(files.first?.message.contains("credentials.json has mode 644") == true, "\(files)")
    // The check of the servers meets the same fault, which is reported once.
    let servers = try findings(outcome, of: "servers")
    #expect(servers.isEmpty, "\(servers)")
    withExtendedLifetime(server) {}
  }
}
