raise ValueError("naïve 漢字 🎉 שלום")
