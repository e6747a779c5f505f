// SPDX-License-Identifier: MIT

import Glibc
import OppiSystem
import Testing

@Suite("ProcessEnvironment")
struct ProcessEnvironmentTests {
  @Test("every variable is told, an empty one and one with further equals signs, too")
  func current() async {
    await #expect(processExitsWith: .success) {
      clearenv()
      setenv("A", "1=2=", 1)
      setenv("EMPTY", "", 1)
      #expect(ProcessEnvironment.current() == ["A": "1=2=", "EMPTY": ""])
    }
  }
}
