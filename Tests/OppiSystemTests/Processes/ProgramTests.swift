// SPDX-License-Identifier: MIT

import Glibc
import OppiWire
import TestSupport
import Testing

@testable import OppiSystem

@Suite("Program")
struct ProgramTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("a program is the first executable file of its name in PATH")
  func find() throws {
    try scratch.write("", to: "a/tool", mode: 0o644)
    let second = try scratch.write("", to: "b/tool", mode: 0o755)
    try scratch.write("", to: "c/tool", mode: 0o755)
    let path = ["none", "a", "b", "c"].map(scratch.path).joined(separator: ":")
    // For root, a file is executable if any execute bit is set.
    #expect(Program.find("tool", path: path) == second)
    #expect(Program.find("other", path: path) == nil)
    #expect(Program.find("tool", path: "") == nil)
    #expect(Program.find(second, path: "") == second)
    #expect(Program.find(scratch.path("none/tool"), path: path) == nil)
  }

  @Test("a detached program has its own session and no open streams")
  func detached() throws {
    let (report, done) = (scratch.path("report"), scratch.path("done"))
    let script = """
      streams=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2)
      session=$(cut -d ' ' -f 6 /proc/$$/stat)
      echo $session $$ $streams >\(report)
      touch \(done)
      """
    try Program.startDetached(["sh", "-c", script])
    try onLoop { try await $0.waitForFile(done) }
    let lines = try #require(scratch.read("report")).split { $0 == "\n" || $0 == " " }
    try #require(lines.count == 5)
    #expect(lines[0] == lines[1])
    #expect(lines[0] != "\(getsid(0))")
    #expect(lines[2...] == ["/dev/null", "/dev/null", "/dev/null"])
    waitpid(try #require(pid_t(lines[1])), nil, 0)
  }

  @Test("a missing program cannot be started")
  func missing() {
    #expect(throws: (any Error).self) { try Program.startDetached(["/none/such"]) }
  }

  @Test("the path of this program is absolute and executable")
  func ownPath() {
    #expect(Program.ownPath().hasPrefix("/"))
    #expect(access(Program.ownPath(), X_OK) == 0)
  }
}

@Suite struct WorkingDirectoryTests {
  private static func current(_ shown: String?) -> [String] {
    var environment = ["HOME": "/nowhere"]
    environment["PWD"] = shown
    return WorkingDirectory.current(environment: environment).paths.map { $0.text(home: "/") }
  }

  @Test("PWD is used if it leads to the same folder")
  func links() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let path = try #require(realpath(scratch.folder, nil))
      defer { free(path) }
      let real = String(cString: path)
      mkdir("\(real)/there", 0o700)
      symlink("there", "\(real)/link")
      #expect(chdir("\(real)/there") == 0)
      #expect(Self.current("\(real)/link") == ["\(real)/link", "\(real)/there"])
      #expect(Self.current("\(real)/there") == ["\(real)/there"])
      for other in [real, "link", "/nowhere", "", nil] {
        #expect(Self.current(other) == ["\(real)/there"], "\(other ?? "none")")
      }
    }
  }

  @Test("a removed folder has no path")
  func gone() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      mkdir("\(scratch.folder)/there", 0o700)
      #expect(chdir("\(scratch.folder)/there") == 0)
      rmdir("\(scratch.folder)/there")
      #expect(Self.current("\(scratch.folder)/there") == [])
    }
  }
}

@Suite("ProcessEnvironment")
struct ProcessEnvironmentTests {
  @Test("all variables are returned, including empty values and values with equals signs")
  func current() async {
    await #expect(processExitsWith: .success) {
      clearenv()
      setenv("A", "1=2=", 1)
      setenv("EMPTY", "", 1)
      #expect(ProcessEnvironment.current() == ["A": "1=2=", "EMPTY": ""])
    }
  }
}

@Suite("ToolRunner")
struct ToolRunnerTests {
  private static func run(
    _ words: [String],
    environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    variables: [String: String] = [:],
    within limit: Duration = .timeout
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
