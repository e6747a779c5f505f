// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Testing

@Suite("SystemError")
struct SystemErrorTests {
  @Test("it takes errno and tells the system's words in lower case")
  func words() {
    errno = ECONNREFUSED
    let error = SystemError("connect")
    #expect(error == SystemError("connect", code: ECONNREFUSED))
    #expect("\(error)" == "connection refused")
  }
}
