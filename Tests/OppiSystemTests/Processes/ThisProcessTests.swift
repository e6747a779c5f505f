// SPDX-License-Identifier: MIT

import Glibc
import OppiModel
import OppiSystem
import TestSupport
import Testing

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
