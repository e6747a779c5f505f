// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Testing

@Suite("SystemError")
struct SystemErrorTests {
  @Test("an error has errno and the system's message in lower case")
  func words() {
    errno = ECONNREFUSED
    let error = SystemError("connect")
    #expect(error == SystemError("connect", code: ECONNREFUSED))
    #expect("\(error)" == "connection refused")
  }
}
