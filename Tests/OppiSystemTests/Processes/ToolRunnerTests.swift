// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport
import Testing

@testable import OppiSystem

@Suite("ToolRunner")
struct ToolRunnerTests {
  private static func run(
    _ words: [String],
    environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    variables: [String: String] = [:],
    within limit: Duration = .patience
  ) throws -> ChildProcess.Outcome {
    try onLoop { loop in
      let programs = SystemPrograms(environment: environment)
      let tools = ToolRunner(programs: programs, environment: environment, loop: loop)
      return try await tools.run(words, variables: variables, within: limit)
    }
  }

  @Test(
    "a program gets the environment, extra variables and the C locale, and both streams are kept"
  )
  func outcome() throws {
    let outcome = try Self.run(
      ["sh", "-c", "echo $A $B $TZ $LC_ALL; echo oops >&2; exit 3"],
      environment: ["PATH": "/usr/bin:/bin", "A": "a", "B": "b", "LC_ALL": "de_DE.UTF-8"],
      variables: ["B": "other", "TZ": "UTC"]
    )
    #expect(String(decoding: outcome.output, as: UTF8.self) == "a other UTC C\n")
    #expect(outcome.errorLine() == "oops" && outcome.status == 3)
  }

  @Test("a program that is missing, too slow or too verbose is named in the error")
  func failures() {
    #expect(throws: ToolError("no-such-tool is not installed", missing: "no-such-tool")) {
      try Self.run(["no-such-tool"])
    }
    #expect(throws: ToolError("sleep timed out")) {
      try Self.run(["sleep", "1000"], within: .milliseconds(1))
    }
    #expect(throws: ToolError("the output of head is too long")) {
      try Self.run(["head", "-c", "2000000", "/dev/zero"])
    }
  }
}
