// SPDX-License-Identifier: MIT

import Glibc
import OppiSystem
import Testing

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
