// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// The test support for real programs.
@Suite(.fewAtOnce) struct ProgramSupportTests {
  @Test("a background process that keeps the pipes open does not block a test")
  func leftBehind() async throws {
    let home = try Home()
    let outcome = try await Executable.run(
      ["/bin/sh", "-c", "sleep 600 & exit 3"],
      environment: home.variables([:]),
      in: home.folder,
      within: .milliseconds(200)
    )
    #expect(outcome.status == 3)
  }

  @Test("signals reach a program and its children")
  func signals() async throws {
    let outcome = try await Home().shell("sh -c 'kill $$; echo no'; echo $?; kill $$; echo no")
    #expect(outcome.status == 143 && outcome.output == "143\n", "\(outcome)")
  }
}
