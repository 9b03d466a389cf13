import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

function Counter() {
  const [count, setCount] = useState(0);
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      Clicked {count} times
    </button>
  );
}

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <h1>Hello from Vite and React</h1>
    <Counter />
  </StrictMode>,
);
