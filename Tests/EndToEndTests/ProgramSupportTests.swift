// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// What the tests of real programs stand on.
@Suite(.fewAtOnce) struct ProgramSupportTests {
  @Test("a program whose own one goes on without it keeps no test waiting for ever")
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

  @Test("signals reach a program, and what it starts")
  func signals() async throws {
    let outcome = try await Home().shell("sh -c 'kill $$; echo no'; echo $?; kill $$; echo no")
    #expect(outcome.status == 143 && outcome.output == "143\n", "\(outcome)")
  }
}
